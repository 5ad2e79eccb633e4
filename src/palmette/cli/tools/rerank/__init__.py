"""The commands of `rerank`."""

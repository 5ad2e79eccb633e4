"""Faults on purpose: damaged input, failing writes, too little memory, odd environments."""

"""What every training on the command line can have: checkpoints, a limit of memory, and workers."""

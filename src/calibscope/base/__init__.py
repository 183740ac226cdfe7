"""What every folder stands on: arrays, compiled kernels, threads."""

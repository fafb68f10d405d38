"""The impulse step, how it is divided, and the kernel that takes steps."""

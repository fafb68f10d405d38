"""Settings of Hypothesis: the first call of a kernel may compile it, so no deadline."""

from hypothesis import settings

settings.register_profile("kernels", deadline=None)
settings.load_profile("kernels")

"""Settings of Hypothesis for all tests.

No deadline: the first call of a kernel may compile it. In CI the examples are the same in every
run, so that a change is judged by what it did; at home they differ, to find new cases.
"""

import os

from hypothesis import settings

settings.register_profile("developer", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, database=None)
settings.load_profile("ci" if os.environ.get("CI") == "true" else "developer")

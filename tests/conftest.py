"""What all tests share: how hard Hypothesis looks.

Profiles: ``dev`` (other examples every time), ``ci`` (the same examples every time, so that a red build means a change)
and ``fast`` (few examples, for ``make check``). ``HYPOTHESIS_PROFILE`` chooses; without it ``ci`` where ``CI`` is set.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# No deadlines: two shared cores stall now and then, and that is no defect.
settings.register_profile("dev", deadline=None)
settings.register_profile(
    "ci", deadline=None, derandomize=True, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("fast", deadline=None, derandomize=True, max_examples=20)

settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "dev"))

# What commands and errors say is tested in English, whatever the locale of whoever runs the tests.
os.environ["RANKMETER_LANG"] = "en"

"""What older versions of scipy call or count otherwise, for tests that compare with it."""

from __future__ import annotations

import inspect

from scipy import stats

RNG = "rng" if "rng" in inspect.signature(stats.bootstrap).parameters else "random_state"
"""What scipy calls a generator of random numbers: renamed in 1.15."""
COUNTS_TIES = RNG == "rng"
"""Whether ``stats.wilcoxon`` treats tied ranks as such: from 1.15 on."""
T_QUANTILES = 1e-12 if RNG == "rng" else 1e-8
"""How far quantiles of Student's distribution may be off; older scipy looks for them less closely."""

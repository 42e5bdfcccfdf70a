"""Examples in docstrings and docs that need an extra are left out where it is not installed."""

from __future__ import annotations

from importlib.util import find_spec

NEEDS = {
    "latex2mathml": ["docs/tools/make_site.py"],
    "torch": [
        "docs/how-to/tensors.md",
        "src/rankmeter/placing/ranked_ids.py",
        "src/rankmeter/placing/tensors.py",
        "src/rankmeter/scale/training.py",
        "src/rankmeter/torch.py",
    ],
    "torchmetrics": ["docs/how-to/tensors.md", "src/rankmeter/torch.py", "src/rankmeter/scale/torch_metric.py"],
}

collect_ignore = sorted({path for library, paths in NEEDS.items() if find_spec(library) is None for path in paths})

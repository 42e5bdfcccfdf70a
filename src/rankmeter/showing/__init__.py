"""What people look at: one renderer for each medium, each of which escapes what its medium would act on."""

from __future__ import annotations

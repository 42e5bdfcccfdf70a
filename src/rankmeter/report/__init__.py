"""What people look at: tables for terminals, Markdown, LaTeX, CSV and JSON. A report computes nothing."""

from __future__ import annotations

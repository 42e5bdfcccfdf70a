"""Pages for a browser: every text escaped, nothing loaded from anywhere, nothing run that rankmeter did not write."""

from __future__ import annotations

from rankmeter.measures.prose import Language

STILL = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""The policy of a page without a script."""

_STYLE = """
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
section { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent); padding: .25rem .7rem; }
th { text-align: left; }
td { font-variant-numeric: tabular-nums; }
"""


def page(fragment: str, language: Language = "en") -> str:
    """A page for a browser: wide enough for a phone, readable in the dark, nothing loaded from anywhere."""
    return "\n".join(
        [
            "<!doctype html>",
            f"<html lang='{'zh-CN' if language == 'zh' else 'en'}'>",
            "<meta charset='utf-8'>",
            f'<meta http-equiv="Content-Security-Policy" content="{STILL}">',
            "<meta name='viewport' content='width=device-width'>",
            f"<title>rankmeter</title>\n<style>{_STYLE}</style>",
            fragment,
        ]
    )

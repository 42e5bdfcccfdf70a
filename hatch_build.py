"""The README as the package's page: there, links into the repository lead nowhere unless they are complete.

Hatchling runs this when it builds the wheel and the sdist.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

LINK = re.compile(r"(?P<image>!?)\[(?P<text>[^\]]*)\]\((?P<path>(?!\w+:|#)[^)\s]+)\)")


class PackagePage(MetadataHookInterface):
    """Makes the readme of the metadata from README.md."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the readme."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": complete(text, metadata["urls"]["Repository"])}


def complete(text: str, repository: str) -> str:
    """The text with the whole address in every link: pages as the repository shows them, pictures as they are."""

    def address(link: re.Match[str]) -> str:
        kind = "raw" if link["image"] else "blob"
        return f"{link['image']}[{link['text']}]({repository}/{kind}/main/{link['path']})"

    return LINK.sub(address, text)

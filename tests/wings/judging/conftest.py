"""A browser, for the page on which people judge."""

from tests.browser.conftest import chromium

__all__ = ["chromium"]

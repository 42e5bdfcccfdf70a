"""Chromium without a window, for the pages: whoever has no browser skips them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

# Without access from file to file, Chromium 156 has two stores for pages that are files and takes either at each load.
FLAGS = """--headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking
--disable-component-update --disable-sync --force-prefers-reduced-motion --window-size=1200,900
--allow-file-access-from-files""".split()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.slow)
            # Selenium's sockets to its driver are closed when the browser is left.
            item.add_marker(pytest.mark.filterwarnings("ignore::ResourceWarning"))


@pytest.fixture(scope="session")
def chromium() -> Any:
    """Opens a browser that keeps what it keeps in a folder; ``prepare`` is given its options."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium drives the browser and is not installed")
    program, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if program is None or driver is None:
        pytest.skip("there is no chromium, or no chromedriver, on the PATH")

    @contextmanager
    def opened(folder: Path, prepare: Any = lambda options: None) -> Iterator[Any]:
        options = webdriver.ChromeOptions()
        options.binary_location = program
        for flag in [*FLAGS, f"--user-data-dir={folder / 'profile'}"]:
            options.add_argument(flag)
        prepare(options)
        browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
        try:
            yield browser
        finally:
            browser.quit()

    return opened

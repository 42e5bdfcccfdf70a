"""Make ``docs/images/report.png``: the report of the bundled data as Chromium draws it, from the answer to the lists.

``python docs/tools/make_report_picture.py`` needs the extra ``report``, selenium, and ``chromium`` with its driver.
"""

from __future__ import annotations

import base64
import shutil
import tempfile
import time
from pathlib import Path

from selenium import webdriver

import rankmeter as rm
from rankmeter import demo

PICTURE = Path(__file__).resolve().parents[1] / "images" / "report.png"
WIDTH = 1200
CHARTS = 7
MARGIN = 16
"""Below the last section that is shown."""


def main() -> None:
    """Write the report that README's command makes, open it, and keep everything down to the ranked lists."""
    runs = {name: demo.data_path(demo.RUNS[name]) for name in ("keyword", "hybrid")}
    cmp = rm.compare(demo.data_path(demo.JUDGMENTS), runs, ["nDCG@10", "AP", "RR"])
    titles = {"queries": demo.data_path(demo.QUERIES), "items": demo.data_path(demo.ITEMS)}
    with tempfile.TemporaryDirectory() as folder:
        page = cmp.report(Path(folder) / "report.html", titles=titles)
        PICTURE.write_bytes(_photographed(page))
    print(f"written to {PICTURE}")


def _photographed(page: Path) -> bytes:
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for flag in ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--window-size={WIDTH},900"):
        options.add_argument(flag)
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
    try:
        size = {"width": WIDTH, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        driver.get(page.as_uri())
        while len(driver.find_elements("css selector", ".chart svg")) < CHARTS:
            time.sleep(0.1)
        top = 0
        last = driver.find_element("id", "detail").rect
        clip = {"x": 0, "y": top, "width": WIDTH, "height": last["y"] + last["height"] + MARGIN - top, "scale": 1}
        # The bar of choices is glued to the top of the window and would hide what is photographed.
        driver.execute_script("document.querySelector('nav').style.position = 'static'")
        shot = driver.execute_cdp_cmd("Page.captureScreenshot", {"clip": clip, "captureBeyondViewport": True})
    finally:
        driver.quit()
    return base64.b64decode(shot["data"])


if __name__ == "__main__":
    main()

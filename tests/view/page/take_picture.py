#!/usr/bin/python3
"""take_picture.py ADDRESS FILE WIDTH HEIGHT [HEADING]: what a browser shows when it shows nothing new any more. With HEADING only the figure
whose heading begins so, or, if it is not that of a figure, the page from there on. In real time: of a page that draws when something has
come, a browser with simulated time makes its picture before the drawing."""
import sys
import tempfile
import time
from typing import Any

sys.dont_write_bytecode = True
import browser_suite

PATIENCE_S = 30
FIND = """
const heading = [...document.querySelectorAll("h1, h2, h3")].find((element) => element.textContent.trim().startsWith(arguments[0]));
if (heading) heading.scrollIntoView();
return heading ? heading.closest("figure") || heading : null;
"""


def picture_of(browser: Any, heading: str = "") -> Any:
    if not heading:
        return browser.get_screenshot_as_png()
    found = browser.execute_script(FIND, heading)
    if found is None:
        sys.exit(f"take_picture: the page has no heading '{heading}'")
    return found.screenshot_as_png if found.tag_name == "figure" else browser.get_screenshot_as_png()


def main() -> None:
    address, file, width, height, *heading = sys.argv[1:]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = browser_suite.start_browser(profile)
        try:
            size = {"width": int(width), "height": int(height), "deviceScaleFactor": 1, "mobile": False}
            browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
            browser.get(address)
            # What is computed in the background comes a second after the rest.
            shown: list[Any] = []
            end = time.monotonic() + PATIENCE_S
            while len(shown) < 4 or len(set(shown[-4:])) > 1:
                if time.monotonic() > end:
                    sys.exit(f"take_picture: {address} shows something new after {PATIENCE_S} s still")
                time.sleep(1)
                shown.append(picture_of(browser, *heading))
        finally:
            browser.quit()
    with open(file, "wb") as picture:
        picture.write(shown[-1])


main()

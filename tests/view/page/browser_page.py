"""What the cases do with the page: open it, wait, press keys, drag, read what it shows."""
import pathlib
import subprocess
import sys
import time
from typing import Any

from selenium.common.exceptions import JavascriptException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

VIEWS = ["overview", "hot-spots", "matrix", "history", "space-time", "queues", "placement", "time"]


class Page:
    def __init__(self, browser: Any, file: str | None, here: pathlib.Path, scratch: Any) -> None:
        self.browser, self.file, self.here, self.scratch = browser, file, here, scratch
        self.permitted = ["willReadFrequently"]  # parts of messages in the browser's log that the case expects
        browser.get("about:blank")
        browser.get_log("browser")

    def open(self, address: str) -> None:
        """Opens it from the beginning, also if only the fragment differs."""
        self.browser.get("about:blank")
        self.browser.get(address)
        self.wait("return document.querySelector('main')?.children.length > 0 && (document.querySelector('.state')?.textContent.length > 12 || "
                  "document.querySelector('.alone-report'))")

    def report(self, *options: Any) -> str:
        path = self.scratch / "report.html"
        assert self.file
        subprocess.run([sys.executable, str(self.here / "make_report.py"), self.file, str(path), *options], check=True)
        return f"file://{path}"

    def script(self, code: str, *arguments: str | int) -> Any:
        return self.browser.execute_script(code, *arguments)

    def wait(self, code: Any, *arguments: str | int, seconds: int = 20) -> Any:
        """Until the script returns something true; it may look into elements that are not there yet. What it returned is the result."""
        end = time.monotonic() + seconds
        while True:
            try:
                value, why = self.script(code, *arguments), "not true"
            except JavascriptException as error:
                value, why = None, error.msg
            if value:
                return value
            assert time.monotonic() < end, f"still {why} after {seconds} s: {code} {arguments}; the address is {self.fragment()}"
            time.sleep(0.04)

    def find(self, selector: str) -> Any:
        self.wait("return document.querySelector(arguments[0]) !== null", selector)
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector: Any) -> Any:
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def press(self, *keys: str) -> None:
        ActionChains(self.browser).send_keys(*keys).perform()

    def command(self, key: str) -> None:
        ActionChains(self.browser).key_down(Keys.CONTROL).send_keys(key).key_up(Keys.CONTROL).perform()

    def hold(self, key: str, seconds: float) -> None:
        ActionChains(self.browser).key_down(key).pause(seconds).key_up(key).perform()

    def drag(self, element: Any, x: Any, y: Any, hold: float = 0.1) -> None:
        ActionChains(self.browser).click_and_hold(element).move_by_offset(x / 2, y / 2).move_by_offset(x - x / 2,
                                                                                                       y - y / 2).pause(hold).release().perform()

    def click(self, element: Any) -> None:
        ActionChains(self.browser).move_to_element(element).click().perform()

    def view(self, name: str) -> None:
        self.click(self.find("#tab-" + name))
        self.wait("return document.documentElement.dataset.view === arguments[0]", name)

    def fragment(self) -> Any:
        return self.script("return location.hash")

    def text(self, selector: str = "main") -> Any:
        return self.find(selector).text

    def range(self) -> Any:
        return self.script("return document.querySelector('.strip').getAttribute('aria-valuetext')")

    def check_log(self) -> None:
        messages = [entry["message"] for entry in self.browser.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
        unexpected = [message for message in messages if not any(part in message for part in self.permitted)]
        assert not unexpected, f"the browser complains: {unexpected}"


__all__ = ["Page", "VIEWS", "Keys"]

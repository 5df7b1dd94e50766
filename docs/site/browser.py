"""Opens the built book in headless Chromium, for docs/site/audit.py and docs/site/pdf.py."""

import contextlib
import functools
import http.server
import threading

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

SECONDS = 600  # time limit for a page, a script or a print


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


@contextlib.contextmanager
def served(folder):
    """Serves `folder` on localhost. Yields the address, without a slash at the end."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()


@contextlib.contextmanager
def browser():
    """A headless Chromium, driven by Debian's chromium-driver."""
    options = Options()
    for option in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars"):
        options.add_argument(option)
    driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
    driver.set_page_load_timeout(SECONDS)
    driver.set_script_timeout(SECONDS)
    # Clears the storage before each page. Otherwise the theme would keep the first page's colour scheme.
    driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": "try { localStorage.clear(); } catch {}"})
    try:
        yield driver
    finally:
        driver.quit()


def emulate(driver, scheme, width=1280, height=900):
    """Sets the window's size and the system's colour scheme, and stops animations. A window narrower than 600 pixels emulates a
    phone."""
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                           {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
        {"name": "prefers-color-scheme", "value": scheme}, {"name": "prefers-reduced-motion", "value": "reduce"}]})

"""A real browser for what is drawn: Debian's Chromium, which asks for nothing on the network."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
WHY_NOT = "there is no Chromium here (apt-get install chromium)"
_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


@contextmanager
def chromium() -> Iterator[Browser]:
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=list(_FLAGS))
        yield browser
        browser.close()


@dataclass
class Opened:
    """A page in a context of its own, and everything that it did beside being shown."""

    page: Page
    asked: list[str] = field(default_factory=list)
    """Requests beyond the file itself: all of them are refused."""
    noise: list[str] = field(default_factory=list)
    """Dialogs, errors, and what was written to the console."""


@contextmanager
def opened(browser: Browser, file: Path, fragment: str = "", **context: Any) -> Iterator[Opened]:
    """The file in a fresh window, every request that leaves it refused and written down."""
    with browser.new_context(**context) as made:
        found = Opened(made.new_page())
        address = file.resolve().as_uri()

        def route(asked: Any) -> None:
            if asked.request.url.split("#")[0] == address:
                asked.continue_()
            else:
                found.asked.append(asked.request.url)
                asked.abort()

        def dialog(shown: Any) -> None:
            found.noise.append(f"dialog: {shown.message}")
            shown.dismiss()

        made.route("**/*", route)
        found.page.on("dialog", dialog)
        found.page.on("pageerror", lambda error: found.noise.append(f"error: {error}"))
        found.page.on("console", lambda said: found.noise.append(f"console: {said.text}"))
        found.page.goto(address + fragment)
        yield found

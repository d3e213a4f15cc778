"""A real browser for tests: Debian's Chromium, driven by Playwright."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""The first is the same browser without a window: it takes a third less CPU for the same pages."""
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PATIENCE_MS = 30_000


@contextmanager
def chromium() -> Iterator[Any]:
    """The browser. Without one the test is skipped, and says so."""
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        pytest.skip("no browser here; the pages need Chromium (Debian: apt-get install chromium-headless-shell)")
    sync_api = pytest.importorskip("playwright.sync_api", reason="the pages are tested with Playwright for Python")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(ARGUMENTS), headless=True)
        try:
            yield browser
        finally:
            browser.close()


def expect(locator: Any) -> Any:
    """Playwright's own: it looks until what is said of the element holds, and does not wait for ever."""
    sync_api = pytest.importorskip("playwright.sync_api")
    sync_api.expect.set_options(timeout=PATIENCE_MS)
    return sync_api.expect(locator)


def obstacles(page: Any) -> dict[str, list[str]]:
    """Accessibility faults found by Deque's axe: contrast, names of controls, headings, landmarks."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python has the rules")
    if page.evaluate("() => window.axe === undefined"):  # half a megabyte, to be read once for each document
        page.evaluate(axe.Axe().axe_script)
    return dict(page.evaluate(_SERIOUS))


_SERIOUS = """async () => {
  const found = await axe.run({resultTypes: ["violations"], preload: false});
  const serious = found.violations.filter(one => ["serious", "critical"].includes(one.impact));
  return Object.fromEntries(serious.map(one => [one.id, one.nodes.map(node => node.html)]));
}"""

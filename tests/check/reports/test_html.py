"""The report as a page."""

import re
from html.parser import HTMLParser
from typing import Any

import attrs

from gameserver.check.report import Heard
from gameserver.check.reports import html_report
from tests.check.reports import samples
from tests.support.browser import obstacles


class Elements(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag, attrs) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data) -> None:
        self.text += data


def test_page_needs_nothing_from_elsewhere() -> None:
    elements = Elements(html_report(samples.MIXED))
    assert {tag for tag, _ in elements.tags}.isdisjoint({"script", "link", "img", "iframe", "object", "form", "base"})
    assert not re.search(r"url\(|@import|https?:", html_report(samples.MIXED))
    targets = {given["href"] for tag, given in elements.tags if tag == "a"}
    assert targets == {f"#{name}" for name in ("line_in_two_packets", "names", "pass")}
    assert targets <= {f"#{given['id']}" for _, given in elements.tags if "id" in given}


def test_texts_are_escaped() -> None:
    nasty = "<script>alert(1)</script> `<i>` & \x1b \ud800"
    everywhere = attrs.evolve(
        samples.FAILED,
        name='"><img src=x>',
        title=nasty,
        findings=(attrs.evolve(samples.FAILED.findings[0], what=nasty, step=nasty, sent=nasty),),
        warnings=(nasty,),
        wire=(Heard(1, to_client=True, text=nasty),),
        output=(nasty,),
        faults=nasty,
        document=nasty,
        change=nasty,
        source=nasty,
        file=nasty,
    )
    report = attrs.evolve(samples.report_of(everywhere), command=(nasty,), game=nasty, protocol=nasty, version=nasty)
    page = html_report(report)
    page.encode()
    elements = Elements(page)
    assert {tag for tag, _ in elements.tags}.isdisjoint({"script", "img", "i"})
    assert elements.text.count("<script>alert(1)</script>") >= 12
    assert "\x1b" not in page


def test_failure_is_explained() -> None:
    page = html_report(samples.report_of(samples.FAILED))
    text = Elements(page).text
    assert "Not ready for an event: 1 required scenario did not pass." in text
    assert "<code>BufferedReader.readLine()</code>" in page
    said = ("It made no move within 10 s", samples.FAILED.document, "\tat Bot.run(Bot.java:7)", '{PLAYERTOMOVE: "you"}')
    for part in said:
        assert part in text, part


def test_scenario_that_was_not_reached_has_no_advice() -> None:
    text = Elements(html_report(samples.report_of(samples.NOT_REACHED))).text
    assert "The program was not skipped in 10 matches." in text
    assert "What to change" not in text


def test_page_is_short_where_all_is_well() -> None:
    text = Elements(html_report(samples.WELL)).text
    assert "Ready for an event: every required scenario passed." in text
    assert "What to look at" not in text
    assert "Warnings" not in text


def test_page_is_readable_on_a_phone_in_light_and_dark(browser: Any) -> None:
    long = attrs.evolve(
        samples.FAILED,
        title="W" * 90,
        wire=tuple(Heard(10**9, to_client=True, text="x" * 3_000) for _ in range(3)),
        output=("y" * 3_000,),
    )
    page_text = html_report(attrs.evolve(samples.MIXED, results=(*samples.MIXED.results, long), command=("c" * 200,)))
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.set_content(page_text)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    for scheme, paper in (("light", "rgb(252, 251, 248)"), ("dark", "rgb(21, 23, 27)")):
        page.emulate_media(color_scheme=scheme)
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == paper
        assert obstacles(page) == {}
    page.close()

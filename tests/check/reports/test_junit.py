"""The report as JUnit XML."""

from xml.etree.ElementTree import Element, fromstring

from gameserver.check.reports import junit
from tests.check.reports import samples

SCHEMA = {
    "testsuites": ({"name", "tests", "failures", "errors", "time"}, ["testsuite"]),
    "testsuite": ({"name", "tests", "failures", "errors", "skipped", "time"}, ["properties", "testcase", "system-out"]),
    "properties": (set(), ["property"]),
    "property": ({"name", "value"}, []),
    "testcase": ({"name", "classname", "time"}, ["skipped", "failure", "system-out"]),
    "skipped": ({"message"}, []),
    "failure": ({"message", "type"}, []),
    "system-out": (set(), []),
}
"""The attributes and children that Jenkins' junit.xsd allows each element, as far as they are used here."""


def violations(element: Element) -> list[str]:
    attributes, children = SCHEMA[element.tag]
    tags = [child.tag for child in element]
    found = [f"{element.tag} has {name}" for name in element.attrib.keys() - attributes]
    found += [f"{element.tag} holds {tag}" for tag in tags if tag not in children]
    found += [f"{element.tag} has its children in another order: {tags}"] * (tags != sorted(tags, key=children.index))
    return found + [problem for child in element for problem in violations(child)]


def cases(*results) -> list[Element]:
    return fromstring(junit(samples.report_of(*results))).findall("testsuite/testcase")


def test_document_has_the_shape_that_servers_read() -> None:
    root = fromstring(junit(samples.MIXED))
    assert violations(root) == []
    (suite,) = root
    assert root.attrib.items() <= suite.attrib.items()
    assert suite.attrib == {
        "name": "gameserver check: Reversi over strategic",
        "tests": "5",
        "failures": "2",
        "errors": "0",
        "skipped": "1",
        "time": "53.200",
    }


def test_counts_are_those_of_the_cases() -> None:
    (suite,) = fromstring(junit(samples.MIXED))
    assert int(suite.attrib["tests"]) == len(suite.findall("testcase"))
    assert int(suite.attrib["failures"]) == len(suite.findall("testcase/failure"))
    assert int(suite.attrib["skipped"]) == len(suite.findall("testcase/skipped"))


def test_case_fails_only_if_it_blocks() -> None:
    failed, advised, not_reached = cases(samples.FAILED, samples.ADVISED, samples.NOT_REACHED)
    assert failed.find("failure").attrib == {
        "message": "required, failed: It made no move within 10 s of its turn.",
        "type": "failed",
    }
    assert samples.FAILED.change in failed.find("failure").text
    assert advised.find("failure") is None
    assert advised.find("skipped").attrib["message"].startswith("advised, failed: It made no move")
    assert samples.ADVISED.change in advised.find("system-out").text
    assert not_reached.find("failure").attrib["type"] == "not reached"


def test_wire_and_output_are_there() -> None:
    (failed,) = cases(samples.FAILED)
    said = failed.find("system-out").text
    assert '    0.013 > SVR GAME YOURTURN {TURNMESSAGE: ""}' in said
    assert "| \tat Bot.run(Bot.java:7)" in said


def test_case_that_went_well_says_nothing_but_warnings() -> None:
    passed, warned = cases(samples.PASSED, samples.WARNED)
    assert list(passed) == []
    assert [child.text for child in warned] == ["warning: The server refused `hello`."]


def test_any_text_makes_a_document() -> None:
    """`fromstring` refuses control characters; whoever writes the file needs text that has a UTF-8."""
    text = junit(samples.report_of(samples.ADVISED))
    (case,) = fromstring(text.encode()).findall("testsuite/testcase")
    assert case.attrib["name"] == samples.ADVISED.title
    assert r"<script>alert(1)</script> ]]> \x1b[31m \x00 \ud800 ☃ 囲碁" in case.find("system-out").text

"""Every visit in `visits/` goes as written. `visits/README.md` tells the form of the files."""

import secrets
from pathlib import Path

import pytest
from trio.testing import MockClock

from tests.http.support import Answer
from tests.support.scenarios import scenarios_in
from tests.web.visiting import fault_in, fault_of

SCENARIOS = scenarios_in(Path(__file__).parent / "visits")


@pytest.mark.parametrize("title", SCENARIOS)
async def test_it_goes_as_written(
    title: str,
    tmp_path: Path,
    autojump_clock: MockClock,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(secrets, "token_hex", lambda count: ("5eed5eed0017d29d" * 4)[: 2 * count])
    fault = await fault_in(SCENARIOS[title], tmp_path)
    assert not fault, fault
    logged, wanted = capsys.readouterr().out, SCENARIOS[title].settings.get("logged")
    assert "Traceback" not in logged
    assert wanted is None or logged.count(wanted) == 1, logged


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("200", "404"),
        ("ann", "bob"),
        ("- bob", "- ann"),
        ("2x ann", "1x ann"),
        (r"~ \d, ", r"~ \d\d"),
        ("@location /", "@vary /"),
        ('.seats.*.name,at = [["ann", 1], ["ann", 2]]', '.seats.*.name = ["ann"]'),
        ('.seats.0.? = ["at", "name"]', '.seats.1.? = ["at"]'),
    ],
)
def test_an_answer_that_lacks_something_fails(right: str, wrong: str) -> None:
    page = Answer(200, {"location": "/"}, b'{"seats": [{"name": "ann", "at": 1}, {"at": 2, "name": "ann"}]}')
    assert fault_of(right, page, page.text) == ""
    assert fault_of(wrong, page, page.text) != ""

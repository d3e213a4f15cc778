"""A wire log is read back as it was written, by its player alone, who holds a link to it."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gameserver.read_model.views import Owner
from gameserver.wire_log.files import WireLog, WireLogSettings
from gameserver.wire_log.owner_access import LIVES_S, OwnLinks, of_session, read_lines
from protocols.connect_four import PROTOCOL as CONNECT_FOUR
from protocols.gammonx import PROTOCOL as GAMMONX
from protocols.mastermind import PROTOCOL as MASTERMIND
from protocols.strategic import PROTOCOL as STRATEGIC
from protocols.web import PROTOCOL as WEB
from tests.support.tables import table

PROTOCOLS = (CONNECT_FOUR, GAMMONX, MASTERMIND, STRATEGIC, WEB)
MISHAPS = {protocol.name: protocol.mishaps for protocol in PROTOCOLS}
REFUSED = {"echo": {"A line was refused.": re.compile(rb"^NO")}}


def written(directory: Path, *notes: tuple[int, str, str, bytes]) -> str:
    log = WireLog(WireLogSettings(str(directory)), lambda _: "ann", lambda: 1_766_400_000_123_456)
    for note in notes:
        log.note(*note)
    log.flush()
    return log.read("ann")


def test_what_the_server_refused_is_marked_and_what_the_player_said_is_not(tmp_path: Path) -> None:
    text = written(tmp_path, (7, "echo", "<", b"NO way\n"), (7, "echo", ">", b"NO\n"), (7, "other", ">", b"NO\n"))
    assert [line.mishap for line in read_lines(text, REFUSED, 100)] == ["", "A line was refused.", ""]


def test_the_end_of_the_players_side_is_marked(tmp_path: Path) -> None:
    text = written(tmp_path, (7, "echo", ">", b"(end)"), (7, "echo", "<", b"(end)"))
    assert [bool(line.mishap) for line in read_lines(text, {}, 100)] == [False, True]


def test_a_gap_is_passed_over_and_only_the_last_lines_are_read(tmp_path: Path) -> None:
    text = "(a gap: the disk did not keep up)\n" + written(
        tmp_path, *((7, "echo", "<", bytes([65 + n])) for n in range(5))
    )
    assert [line.text for line in read_lines(text, {}, 2)] == ["D", "E"]
    assert len(read_lines(text, {}, 100)) == 5


def test_the_lines_of_one_session_stay_as_they_are(tmp_path: Path) -> None:
    text = written(tmp_path, (7, "echo", "<", b"a"), (8, "echo", "<", b"b"), (7, "echo", ">", b"c"))
    assert of_session(text, 8, 0) == text.splitlines(keepends=True)[1]
    assert of_session(text, 9, 0) == ""
    assert of_session(text, 8, 4_000_000_000_000) == "", "the number belonged to another session before a restart"


@pytest.mark.parametrize(("protocol", "line"), table(__file__, "mishaps"))
def test_each_protocol_knows_its_own_mishaps(tmp_path: Path, protocol: str, line: str) -> None:
    (read,) = read_lines(written(tmp_path, (1, protocol, ">", line.encode())), MISHAPS, 10)
    assert read.mishap


@pytest.mark.parametrize(("protocol", "line"), table(__file__, "what is none"))
def test_what_is_no_mishap_is_told_from_them(tmp_path: Path, protocol: str, line: str) -> None:
    (read,) = read_lines(written(tmp_path, (1, protocol, ">", line.encode())), MISHAPS, 10)
    assert not read.mishap


def test_every_protocol_has_mishaps() -> None:
    assert {protocol for protocol, _ in table(__file__, "mishaps")} == MISHAPS.keys()


OWNERS = st.builds(Owner, st.text(min_size=1), st.none() | st.integers(0), st.integers(0))


def links(key: bytes = b"key", now_s: float = 600.5) -> OwnLinks:
    return OwnLinks(key, lambda: now_s)


@given(OWNERS)
def test_a_link_tells_who_was_given_it(owner: Owner) -> None:
    token = links().token_of(owner)
    assert links().owner_of(token) == owner
    assert token.replace("-", "").replace("_", "").isalnum(), "it stands in a URL as it is"


@given(OWNERS, st.data())
def test_a_changed_link_opens_nothing(owner: Owner, data: st.DataObject) -> None:
    token = links().token_of(owner)
    at = data.draw(st.integers(0, len(token) - 2))  # the last letter has bits to spare
    letter = data.draw(st.characters(codec="ascii").filter(lambda one: one != token[at]))
    assert links().owner_of(token[:at] + letter + token[at + 1 :]) is None


@given(st.text())
def test_no_text_at_all_is_an_error(text: str) -> None:
    assert links().owner_of(text) is None


def test_another_start_of_the_server_gave_other_links() -> None:
    assert links(b"other").owner_of(links().token_of(Owner("ann"))) is None


def test_a_link_gets_old() -> None:
    token = links().token_of(Owner("ann"))
    assert links(now_s=600 + LIVES_S - 1).owner_of(token) == Owner("ann")
    assert links(now_s=600 + LIVES_S).owner_of(token) is None

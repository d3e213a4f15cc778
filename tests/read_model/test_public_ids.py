"""The id by which clients call a match: on its page only where it lets nobody in, and on record always."""

import pytest

from gameserver.core.messages.commands import Against, Resign, Scope
from gameserver.exports.rows import match_rows
from gameserver.read_model.live import match_replay_of
from gameserver.read_model.recorded import recorded_replay
from gameserver.web.pages.match import match_page
from gameserver.web.ui.json_views import match_json
from tests.support.lobbies import LobbyHarness
from tests.support.tickets import GAMES, RULES, arrive, book, paired


def with_house(harness: LobbyHarness) -> None:
    book(harness, "t1", "ann", against=Against.HOUSE)
    arrive(harness, 1, "t1", "ann")


def with_text_player(harness: LobbyHarness) -> None:
    harness.enter(9, "cyd")
    harness.seek(9, "Hands")
    book(harness, "t1", "ann", open_to_queue=True, options={})
    arrive(harness, 1, "t1", "ann")


@pytest.mark.parametrize(
    ("begin", "live_id", "session"), [(paired, "t1", 2), (with_house, "", 1), (with_text_player, "", 1)]
)
def test_a_live_match_shows_an_id_that_both_know_and_a_record_any(begin, live_id, session):
    harness = LobbyHarness(GAMES, RULES)
    begin(harness)
    live = match_replay_of(harness.match())
    assert match_json(live)["public_id"] == live_id
    assert ("Match id <code>t1</code>" in match_page(live, 0)) is bool(live_id)
    assert ("t1" in match_page(live, 0)) is bool(live_id)
    harness.do(Resign(session, Scope.MATCH))
    (record,) = harness.records
    over = recorded_replay(record, GAMES)
    assert (record.public_id, match_json(over)["public_id"]) == ("t1", "t1")
    assert "Match id <code>t1</code>" in match_page(over, 0)
    assert [row["public_id"] for row in match_rows([record])] == ["t1"]

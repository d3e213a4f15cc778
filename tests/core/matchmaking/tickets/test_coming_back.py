"""Seats that are taken back with a ticket: by whom, how long, and after a restart."""

from typing import Any

import pytest

from gameserver.core.messages.commands import Ready
from gameserver.core.messages.events import Accepted, Rejected
from gameserver.core.messages.rejections import Code
from tests.support.lobbies import LobbyHarness
from tests.support.tickets import arrive, book, found, playing


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"who": "bob"}, Code.NAME_TAKEN),
        ({"who": "cyd"}, Code.NOT_YOUR_TICKET),
        ({"address": "10.9.9.9"}, Code.NAME_HELD),
        ({"token": "guessed"}, Code.TOKEN_WRONG),
    ],
)
def test_nobody_else_takes_the_seat(harness: LobbyHarness, more: dict[str, Any], code: Code) -> None:
    playing(harness)
    harness.leave(1)
    answer = arrive(harness, 3, "t1", more.pop("who", "ann"), **more)
    assert isinstance(answer, Rejected)
    assert answer.code is code


@pytest.mark.parametrize("stage", ["booked", "found", "arrived", "paired", "playing"])
def test_it_goes_on_after_a_restart(harness: LobbyHarness, stage: str) -> None:
    book(harness, "t1", "ann")
    if stage != "booked":
        book(harness, "t2", "bob")
    if stage not in {"booked", "found"}:
        arrive(harness, 1, "t1", "ann")
    if stage in {"paired", "playing"}:
        arrive(harness, 2, "t2", "bob")
    if stage == "playing":
        for session in (1, 2):
            harness.do(Ready(session))
    harness.start()
    harness.check_restored()
    assert arrive(harness, 1, "t1", "ann") == Accepted()
    if stage == "booked":
        return
    assert arrive(harness, 2, "t2", "bob") == Accepted()
    if stage != "playing":
        for session in (1, 2):
            assert harness.do(Ready(session)) == Accepted()
    first = 2 if harness.match().players[0] == "gx-bob" else 1
    assert harness.play(first, "1") == Accepted()


def test_a_ticket_tells_whose_it_is_before_and_in_the_match(harness: LobbyHarness) -> None:
    found(harness)
    assert harness.lobby.player_with("t1", "ann") == "gx-ann"
    assert harness.lobby.player_with("t1", "bob") == "gx-bob"
    arrive(harness, 1, "t1", "ann")
    arrive(harness, 2, "t2", "bob")
    assert harness.lobby.tickets == {}
    assert harness.lobby.player_with("t2", "bob") == harness.lobby.player_with("t1", "bob") == "gx-bob"
    assert harness.lobby.player_with("t2", "ann") == harness.lobby.player_with("t9", "ann") == ""

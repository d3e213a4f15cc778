"""The kit's matches with drivers of a protocol's own: each planted fault is found, with its own sentence."""

import json
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from games.backgammon import TAVLA, TAVLI
from games.backgammon.fields import fields_of
from games.mastermind import GAME as MASTERMIND_GAME
from gameserver.game import Game
from gameserver.protocol import HttpEndpoint, Output, WireProtocol
from gameserver.testing import ContractError, Speaker
from gameserver.testing.kit_connection import KitConnection
from gameserver.testing.kit_lobby import KitLobby
from gameserver.testing.kit_matches import Matches
from protocols.gammonx import PROTOCOL as GAMMONX
from protocols.gammonx import GammonXProtocol
from protocols.mastermind import PROTOCOL as MASTERMIND
from protocols.mastermind import MastermindAdapter
from tests.protocols.gammonx.test_contract import SPEAKER as GAMMONX_SPEAKER
from tests.protocols.mastermind.test_contract import SPEAKER as MASTERMIND_SPEAKER
from tests.support.edits import Edit, read_edits


def check(protocol: WireProtocol, speaker: Speaker, game: Game[Any]) -> None:
    """The kit's matches at one game."""
    matches = Matches(lambda hall: KitConnection(hall, protocol, speaker, "document"), (game,), random.Random(0))
    matches.check_matches(game)
    matches.check_return(game)


def test_a_wrong_board_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("protocols.gammonx.payloads.fields_of", lambda board: fields_of(board)[::-1])
    with pytest.raises(ContractError, match=r"the game stands at .*, and the client was told"):
        check(GAMMONX, GAMMONX_SPEAKER, TAVLA)


def test_an_old_board_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("protocols.gammonx.rendering._tell_played", lambda session, view, event: None)
    with pytest.raises(ContractError, match=r"the game stands at .*|it is the player's turn"):
        check(GAMMONX, GAMMONX_SPEAKER, TAVLA)


FAULTS = [*read_edits(Path(__file__).with_suffix(".txt").read_text("utf-8"))]
PLAYED: Mapping[str, tuple[WireProtocol, Speaker, Game[Any]]] = {
    "Tavla": (GAMMONX, GAMMONX_SPEAKER, TAVLA),
    "Tavli": (GAMMONX, GAMMONX_SPEAKER, TAVLI),
    "Mastermind": (MASTERMIND, MASTERMIND_SPEAKER, MASTERMIND_GAME),
}


@pytest.mark.parametrize(("title", "edit"), FAULTS)
def test_a_fault_of_a_player_is_found(title: str, edit: Edit) -> None:
    game, sentence = title.split(": ", 1)
    with edit.applied(), pytest.raises(ContractError, match=sentence):
        check(*PLAYED[game])


async def breaks(scope: Any, receive: Any, send: Any) -> None:
    raise LookupError("no such table")


async def says_nothing(scope: Any, receive: Any, send: Any) -> None:
    pass


@pytest.mark.parametrize(
    ("app", "sentence"),
    [
        (breaks, r"POST /api/matches/join raised LookupError \(no such table\); make a response of every request"),
        (says_nothing, "POST /api/matches/join has 0 responses; give one"),
    ],
)
def test_a_fault_of_a_route_is_found(app: Any, sentence: str) -> None:
    class Broken(GammonXProtocol):
        def endpoints(self) -> Any:
            return (HttpEndpoint("/api/matches", app),)

    with pytest.raises(ContractError, match=sentence):
        check(Broken(), GAMMONX_SPEAKER, TAVLI)


def test_a_code_that_is_told_too_early_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first match of every lobby of the kit has the same code."""
    one = KitConnection(KitLobby((MASTERMIND_GAME,)), MASTERMIND, MASTERMIND_SPEAKER, "document")
    size = {"NbrColors": 10, "MaxTries": 12, "CodeLength": 8}
    one.receive(b"0|" + json.dumps(size).encode() + b"\n4|{}\n")
    code = json.loads(one.said.splitlines()[-1].split(b"|")[1])["Code"]
    render = MastermindAdapter.render

    def leaking(self: Any, answer: Any, events: Any) -> Any:
        leak = json.dumps({"Code": code})[1:].encode()
        return [
            Output(output.data.replace(b"}\n", b"," + leak + b"\n") if output.data[:1] == b"2" else output.data)
            for output in render(self, answer, events)
        ]

    monkeypatch.setattr(MastermindAdapter, "render", leaking)
    with pytest.raises(ContractError, match=r"the client is told .*Code.* is hidden yet; say MovePlayed.text"):
        check(MASTERMIND, MASTERMIND_SPEAKER, MASTERMIND_GAME)

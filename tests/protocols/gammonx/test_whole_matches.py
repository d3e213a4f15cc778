"""Whole matches: between two hub players, against the house, and against a text player."""

import random
from itertools import count

import pytest

from gameserver.core.commands import Capability, Enter, Play, Seek
from protocols.gammonx.schema import named_guid
from tests.protocols.gammonx.moves_and_views import any_move, compare_views
from tests.support.gammonx_client import ANN, BOB, Hub


@pytest.mark.parametrize("game", ["Tavla", "Backgammon", "Tavli"])
def test_whole_matches_by_what_the_payloads_say(game):
    """Two clients that know nothing but what they are told, and move to and fro as the document's helper has it."""
    hub = Hub()
    chance = random.Random(1)
    ann, bob = hub.paired(game=game)
    clients = {ANN: ann, BOB: bob}
    for client in clients.values():
        client.forget()
    for step in count():
        assert step < 5_000, "it ends"
        if ann.match["gameRounds"] and not hub.harness.lobby.matches:
            break
        acting = next(
            (each for each in clients.values() if set(each.adapter._session.allowed) - {"ResignGame", "ResignMatch"}),
            None,
        )
        assert acting is not None, "somebody can do something"
        possible = acting.adapter._session.allowed
        played_for = {
            "Move": lambda acting=acting: any_move(acting, chance),
            "AcceptDouble": lambda: ("DeclineDouble",) if chance.random() < 0.1 else ("AcceptDouble",),
        }
        first = possible[0]
        if "OfferDouble" in possible and chance.random() < 0.05:
            first = "OfferDouble"
        if "UndoMove" in possible and chance.random() < 0.1:
            first = "UndoMove"
        if first in {"Roll", "Move"} and acting.state is not None:
            assert acting.state["allowedCommands"] == list(possible)
        heard = acting.ask(*(played_for[first]() if first in played_for else (first,)))
        assert all(name != "error" for name, _ in heard), heard
        compare_views(ann, bob)
    for client in (ann, bob):
        client.heard()
        assert client.log[-2:] == ["match-ended", "force-disconnect"]
    assert ann.match["player1"] == bob.match["player1"]
    assert ann.match["gameRounds"] == bob.match["gameRounds"]


@pytest.mark.parametrize(("game", "text_first"), [("Backgammon", False), ("Tavli", True)])
def test_a_text_player_meets_a_hub_player(hub, game, text_first):
    def come():
        hub.harness.do(Enter(5, "tim", "strategic", "10.0.0.2", (Capability.CHAT, Capability.CHALLENGE)))
        hub.harness.do(Seek(5, game))
        hub.deliver()

    if text_first:
        come()
    ann = hub.join(ANN, game=game, open_to_queue=True)
    if not text_first:
        come()
    ann.heard()
    expected = [(named_guid("tim"), "tim"), (ANN, None)]
    seated = [(ann.match[each]["id"], ann.match[each]["userName"]) for each in ("player1", "player2")]
    assert seated == (expected if text_first else expected[::-1])
    chance = random.Random(7)
    while hub.harness.lobby.matches:
        match = hub.harness.match()
        if ann.adapter._session.allowed == ("StartGame",):
            ann.ask("StartGame")
        elif (acting := match.turn.seats[0]) == int(text_first):
            first = ann.state["allowedCommands"][0]
            heard = ann.ask(*(any_move(ann, chance) if first == "Move" else (first,)))
            assert all(name != "error" for name, _ in heard), heard
        else:
            move = match.game.write_move(chance.choice(match.state.legal_moves(acting)[:6]))
            hub.harness.do(Play(5, move))
            hub.deliver()
    ann.heard()
    assert ann.log[-2:] == ["match-ended", "force-disconnect"]
    assert len(ann.match["gameRounds"]) == (3 if game == "Tavli" else 1)

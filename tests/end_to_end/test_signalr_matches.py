"""Whole matches of every variant on the official SignalR client, over lost connections and a killed server.

Whoever comes back does so by the client's own `withAutomaticReconnect`, as it is out of the box.
"""

from contextlib import ExitStack

import pytest

from games.backgammon.match import MATCH_KINDS
from tests.end_to_end.signalr_players import Match, Wire, check_moves
from tests.end_to_end.support import LOCAL, eventually
from tests.support.node import DIRECTORY, node

LISTEN = (f"strategic={LOCAL}:0", f"http={LOCAL}:0")
ANN = "fdd907ca-794a-43f4-83e6-cadfabc57c45"
BOB = "f6f9bb06-cbf6-4f42-80bf-5d62be34cff6"
BACKGAMMON, TAVLA, TAVLI = range(3)
FIVE_POINTS, CASH = 0, 2


@pytest.fixture(scope="session")
def script():
    return [node(), str(DIRECTORY / "player.mjs")]


@pytest.fixture
def to_close():
    with ExitStack() as stack:
        yield stack


def begin(to_close, script, ports, **wishes):
    match = Match(script, ports, (ANN, BOB), **wishes)
    to_close.callback(match.close)
    return match


def check_record(server, match, variant):
    """What both were told of the end is on record, with every move that was answered, in its place, and no other."""
    (recorded,) = eventually(server.matches, "the match is on record")
    assert (recorded.game, recorded.reason) == (list(MATCH_KINDS)[variant], "played")
    points = dict(zip(recorded.players, recorded.points, strict=True))
    results = dict(zip(recorded.players, recorded.results, strict=True))
    for player in match.players:
        ended = player.match_ended
        scores = {each["id"]: each["score"] for each in (ended["player1"], ended["player2"])}
        assert {each.guid: points[each.name] for each in match.players} == scores
        won = {ended["winner"]: "win", ended["loser"]: "loss"}
        assert results[player.name] == won.get(player.guid, "draw"), (results, ended)
        check_moves(player.name, player.asked, [text for who, text in recorded.moves if who == player.name])
    told = [payload for player in match.players for _, payload in player.events if "groupName" in payload]
    assert len({(payload["id"], payload["groupName"]) for payload in told}) == 1, "both call the match the same"
    one, two = (player.match_ended["gameRounds"] for player in match.players)
    assert one == two
    return one


@pytest.mark.parametrize(
    ("variant", "kind", "games"),
    [(BACKGAMMON, FIVE_POINTS, {0}), (TAVLA, CASH, {1}), (TAVLI, CASH, {2, 3, 4})],
    ids=["Backgammon", "Tavla", "Tavli"],
)
def test_a_match_over_lost_connections(serve, to_close, script, variant, kind, games):
    """Both lose theirs in each game; one has something under way. Tavli is a series of Portes, Plakoto and Fevga."""
    server = serve(listen=LISTEN)
    wires = [Wire(server.port_of("http")) for _ in range(2)]
    for wire in wires:
        to_close.callback(wire.close)
    match = begin(to_close, script, [wire.port for wire in wires], variant=variant, kind=kind, doubles=0.2)
    for _ in games:
        begun = len(match.players[0].events)
        match.play(until=lambda begun=begun: any(name == "game-started" for name, _ in match.players[0].events[begun:]))
        for number, wire in enumerate(wires):
            before = match.actions
            match.play(until=lambda before=before: match.actions > before + 20)
            match.cut(number, wire, in_flight=number == 0)
        match.play(until=lambda: match.players[0].events[-1][0] in {"game-ended", "match-ended"})
    match.play(until=lambda: match.is_over)
    rounds = check_record(server, match, variant)
    assert {each["modus"] for each in rounds} == games
    assert [player.connections_back for player in match.players] == [len(games)] * 2


def can(player, command):
    return player.state is not None and command in player.state["allowedCommands"]


def test_kills_in_the_middle_of_a_match(serve, to_close, script):
    """With a part of a roll played, with a double offered, and between a turn and the next."""
    server = serve(listen=LISTEN)
    match = begin(to_close, script, [server.port_of("http")] * 2, variant=BACKGAMMON, kind=CASH)
    players = match.players

    def survive():
        before = match.game_states()
        server.kill()
        server.start_where_it_was()
        kills = players[0].connections_back + 1
        match.listen_until(lambda: all(each.connections_back == kills for each in players), "both are back")
        shown = [each.state for each in players]
        assert match.game_states() == shown == before
        return before

    match.play(
        until=lambda: match.actions > 12 and any(can(each, "UndoMove") and can(each, "Move") for each in players)
    )
    states = survive()
    assert {die["used"] for die in states[0]["diceRolls"]} == {True, False}
    match.play(until=lambda: any(can(each, "OfferDouble") for each in players))
    offerer = next(each for each in players if can(each, "OfferDouble"))
    offerer.invoke("OfferDouble")
    match.listen_until(lambda: any(can(each, "AcceptDouble") for each in players), "the double is offered")
    for state in survive():
        assert (state["boardState"]["doublingCubeValue"], state["boardState"]["doublingCubeOwner"]) == (1, False)
        assert state["activeTurn"] != offerer.guid
    match.play(until=lambda: can(offerer, "Roll"))
    for player, state in zip(players, survive(), strict=True):
        assert state["boardState"]["doublingCubeValue"] == 2
        assert state["boardState"]["doublingCubeOwner"] == (player is not offerer)
    match.play(until=lambda: match.is_over)
    (played,) = check_record(server, match, BACKGAMMON)
    assert played["score"] in {2, 4, 6}, "it was played for twice as much"

"""The hub's table of methods: what is refused, in which words, and that nothing changes by it."""

import random
from itertools import count, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.backgammon.fields import place_of
from games.backgammon.notation import write_hops
from gameserver.core.messages.capabilities import Capability
from gameserver.core.messages.commands import Against, Enter, Play, Seek
from gameserver.core.messages.rejections import Code
from gameserver.journal.snapshot import digest
from protocols.gammonx.guids import modus_of, named_guid, player_name, read_guid
from protocols.gammonx.handlers import ALLOWED, ALSO, TABLES
from protocols.gammonx.hub_methods import COMMANDS, LATER_COMMANDS
from protocols.gammonx.profiles import PROFILES
from protocols.gammonx.refusals import REASONS, WORDINGS
from protocols.gammonx.stage import Stage
from tests.support.examples import examples
from tests.support.gammonx_client import ANN, BOB, CYD, Hub, scripted, shut_out
from tests.support.signalr_client import call

NOWHERE = "00000000-0000-4000-8000-000000000000"
CALLS = {
    "StartGame": (),
    "Roll": (),
    "Move": (0, 1),
    "EndTurn": (),
    "UndoMove": (),
    "ResignGame": (),
    "ResignMatch": (),
    "OfferDouble": (),
    "AcceptDouble": (),
    "DeclineDouble": (),
    "GameState": (),
    "MatchState": (),
}


def error_of(heard):
    ((name, payload),) = heard
    assert (name, list(payload)) == ("error", ["code", "message", "stackTrace", "allowedCommands"])
    assert payload["allowedCommands"] == []
    return payload["code"], payload["message"]


@pytest.fixture
def hub() -> Hub:
    return Hub()


def test_the_tables_are_whole():
    assert set(REASONS) == set(Code)
    for profile in PROFILES.values():
        assert set(profile.wordings) == set(LATER_COMMANDS)
    assert set(TABLES) == set(PROFILES)
    for table in TABLES.values():
        assert set(table) == set(Stage)
    assert {method.__name__ for method in COMMANDS} == {*CALLS, "JoinMatch"}
    for row in (*TABLES["document"].values(), *ALSO.values()):
        assert set(row) <= set(COMMANDS)


@pytest.mark.parametrize("method", CALLS)
@pytest.mark.parametrize("match_id", ["", "no guid", "x" * 500, NOWHERE])
def test_bad_and_unknown_matches(hub, method, match_id):
    ann, _ = hub.started()
    before = digest(hub.harness.lobby)
    code, message = error_of(ann.invoke(method, match_id, *CALLS[method]))
    assert code == WORDINGS[next(each for each in COMMANDS if each.__name__ == method)].code
    if match_id == NOWHERE:
        assert message == "No match session was found with the given matchId."
    else:
        assert message.startswith("The given matchId '")
        assert message.endswith("' is not a valid GUID.")
        assert len(message) < 200
    assert digest(hub.harness.lobby) == before


@pytest.mark.parametrize("method", CALLS)
def test_before_a_match_is_joined(hub, method):
    ann = hub.connect(ANN, hub.book(ANN))
    assert error_of(ann.ask(method, *CALLS[method]))[1] == "No match session was found with the given matchId."


def test_joins_that_cannot_be(hub):
    ann = hub.connect(ANN, hub.book(ANN))
    assert error_of(ann.invoke("JoinMatch", "x", ANN)) == (
        "LOBBY_ERROR",
        "The given matchId 'x' is not a valid GUID.",
    )
    assert error_of(ann.ask("JoinMatch", "y"))[1] == "The given playerId 'y' is not a valid GUID."
    assert error_of(ann.invoke("JoinMatch", NOWHERE, ANN)) == (
        "LOBBY_ERROR",
        "No match lobby was found with the given matchId.",
    )
    assert error_of(ann.ask("JoinMatch", BOB)) == (
        "LOBBY_ERROR",
        (
            "An error occurred while trying to join the match lobby: "
            "'The calling player is not part of the match session. "
            "Use the matchId together with the PlayerId that it was answered to.'"
        ),
    )
    ann.ask("joinmatch", ANN.upper())
    assert "another match" in error_of(ann.invoke("JoinMatch", hub.book(CYD), CYD))[1]


def standing_at(hub, monkeypatch, standing):
    """A client who stands there."""
    scripted(monkeypatch, [6, 1, 2, 1, *[3, 4] * 20])
    if standing is Stage.STUCK:
        shut_out(monkeypatch)
    return (before_a_game if standing in BEFORE else in_a_game)(hub, standing)


BEFORE = {Stage.OUTSIDE, Stage.WAITING, Stage.BEFORE_MATCH, Stage.BEFORE_GAME, Stage.STARTED}


def before_a_game(hub, standing):
    if standing in {Stage.OUTSIDE, Stage.WAITING}:
        client = hub.connect(ANN, hub.book(ANN))
        if standing is Stage.WAITING:
            client.ask("JoinMatch", ANN)
        return client
    if standing is Stage.BEFORE_GAME:
        client, _ = hub.started(length="5 points")
        client.ask("ResignGame")
        return client
    client, _ = hub.paired()
    if standing is Stage.STARTED:
        client.ask("StartGame")
    return client


def in_a_game(hub, standing):
    game = "Backgammon" if standing in {Stage.TO_ROLL_OR_DOUBLE, Stage.DOUBLED} else "Tavla"
    ann, bob = hub.started(game=game)
    if standing is Stage.DOUBLED:
        ann.ask("OfferDouble")
        return bob
    if standing is Stage.OPPONENTS_TURN:
        return bob
    if standing is Stage.OVER:
        ann.ask("ResignMatch")
        return ann
    if standing in {Stage.ROLLED, Stage.STUCK, Stage.MOVED, Stage.DONE}:
        ann.ask("Roll")
    if standing in {Stage.MOVED, Stage.DONE}:
        ann.ask("Move", 0, 2 if standing is Stage.MOVED else 3)
    return ann


@pytest.mark.parametrize("standing", Stage, ids=lambda each: each.name)
@pytest.mark.parametrize("method", CALLS)
def test_method_that_is_not_allowed_is_refused_and_changes_nothing(hub, monkeypatch, standing, method):
    client = standing_at(hub, monkeypatch, standing)
    client.forget()
    for other in hub.clients.values():
        other.forget()
    assert client.adapter._session.standing is standing
    before = digest(hub.harness.lobby)
    listed = method in ALLOWED["document"][standing]
    also = {each.__name__ for each in ALSO.get(standing, {})} or {"GameState", "MatchState"}
    heard = client.ask(method, *CALLS[method])
    if listed:
        assert all(name != "error" for name, _ in heard), heard
        assert digest(hub.harness.lobby) != before
    elif method == "ResignMatch" and "ResignMatch" in also:
        assert digest(hub.harness.lobby) != before
    else:
        assert digest(hub.harness.lobby) == before
        assert all(other.heard() == [] for other in hub.clients.values())
        if method not in also or standing in {Stage.OUTSIDE, Stage.WAITING}:
            code, message = error_of(heard)
            assert code.endswith("_ERROR")
            assert message


@pytest.mark.parametrize(
    ("standing", "method", "message"),
    [
        (
            Stage.OPPONENTS_TURN,
            "Roll",
            "An error occurred while trying to roll the dices: 'It is not your turn to roll the dices.'",
        ),
        (
            Stage.OPPONENTS_TURN,
            "Move",
            "An error occurred while trying to move checkers: 'It is not your turn to move the checkers.'",
        ),
        (Stage.OPPONENTS_TURN, "EndTurn", "You cannot end your turn at this moment."),
        (
            Stage.ROLLED,
            "EndTurn",
            "You cannot end your turn at this moment. Possible now: Move, ResignGame, ResignMatch.",
        ),
        (
            Stage.ROLLED,
            "Move",
            "An error occurred while trying to move checkers: 'No legal move exists for from '0' to '6'.'",
        ),
        (
            Stage.BEFORE_MATCH,
            "Roll",
            (
                "An error occurred while trying to roll the dices: "
                "'No game session exists for round 1. Possible now: StartGame.'"
            ),
        ),
        (
            Stage.STARTED,
            "StartGame",
            (
                "An error occurred while trying to start the game: "
                "'The game has been started already. Wait for the other player.'"
            ),
        ),
        (
            Stage.ROLLED,
            "OfferDouble",
            "The match with matchId '{match}' does not support doubling cubes.",
        ),
        (
            Stage.DOUBLED,
            "OfferDouble",
            (
                f"The player with the id '{BOB}' cannot offer a double at the moment. "
                "Possible now: AcceptDouble, DeclineDouble, ResignGame, ResignMatch."
            ),
        ),
        (
            Stage.ROLLED,
            "AcceptDouble",
            (
                "An error occurred while accepting a double offer: "
                "'No double is offered to you. Possible now: Move, ResignGame, ResignMatch.'"
            ),
        ),
        (
            Stage.OVER,
            "ResignGame",
            "An error occurred while resigning the game: 'The match is over.'",
        ),
    ],
)
def test_the_words(hub, monkeypatch, standing, method, message):
    client = standing_at(hub, monkeypatch, standing)
    client.forget()
    arguments = (0, 6) if method == "Move" else ()
    assert error_of(client.ask(method, *arguments))[1] == message.format(match=client.match_id)


@pytest.mark.parametrize("ends", [(5, 5), (3, 0), (-1, 2), (24, 20), (0, -100), (100, 0), (1 << 30, 3), (0, 24)])
def test_moves_that_cannot_be(hub, monkeypatch, ends):
    client = standing_at(hub, monkeypatch, Stage.ROLLED)
    client.forget()
    before = digest(hub.harness.lobby)
    source, target = ends
    assert error_of(client.ask("Move", *ends)) == (
        "MOVE_ERROR",
        f"An error occurred while trying to move checkers: 'No legal move exists for from '{source}' to '{target}'.'",
    )
    assert digest(hub.harness.lobby) == before


@pytest.mark.parametrize("game", ["Tavla", "Backgammon", "Tavli"])
@pytest.mark.parametrize("seed", [1, 2])
def test_whole_matches_by_what_the_payloads_say(game, seed):
    """Two clients that know nothing but what they are told, and move to and fro as the document's helper has it."""
    hub = Hub()
    chance = random.Random(seed)
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


def any_move(client, chance):
    """One of `GetLegalToPositions`, for any `from`."""
    sequences = client.state["moveSequences"]
    source = chance.choice([move["from"] for each in sequences for move in each["moves"][:1]])
    reached = set()
    for moves in (each["moves"] for each in sequences):
        if moves[0]["from"] == source:
            reached.add(moves[0]["to"])
            end = moves[0]["to"]
            for move in moves[1:]:
                if move["from"] != end:
                    break
                end = move["to"]
                reached.add(end)
    return "Move", source, chance.choice(sorted(reached))


def compare_views(ann, bob):
    """Both see the same board, each from its own side."""
    if ann.state is None or ann.state["id"] != bob.state["id"]:
        return
    one, two = ann.state["boardState"], bob.state["boardState"]
    turned = (lambda index: (index + 12) % 24) if ann.state["modus"] == 4 else (lambda index: 23 - index)
    assert [two["fields"][turned(index)] for index in range(24)] == [-count for count in one["fields"]]
    if one["pinnedFields"] is not None:
        assert [two["pinnedFields"][turned(index)] for index in range(24)] == [-count for count in one["pinnedFields"]]
    for member in ("bearOffCount", "homeBarCount", "pipCount"):
        assert one[f"{member}White"] == two[f"{member}Black"]
        assert one[f"{member}Black"] == two[f"{member}White"]
    assert ann.state["diceRolls"] == bob.state["diceRolls"]
    ends = {-1: 24, 24: -1, -100: 100, 100: -100}
    mapped = [
        [(ends.get(move[end], turned(move[end]) if 0 <= move[end] < 24 else None)) for move in each["moves"]]
        for each in ann.state["moveSequences"]
        for end in ("from", "to")
    ]
    assert mapped == [
        [move[end] for move in each["moves"]] for each in bob.state["moveSequences"] for end in ("from", "to")
    ]


def test_against_the_house(hub):
    ann = hub.join(ANN, game="Backgammon", against=Against.HOUSE)
    heard = ann.heard()
    assert ann.match["modus"] == 2
    assert ann.match["player1"]["id"] == ANN
    assert ann.match["player2"]["id"] == named_guid("house-steady")
    assert heard == []
    assert [name for name, _ in ann.ask("StartGame")] == ["game-started"]


@pytest.mark.parametrize("text_first", [False, True])
@pytest.mark.parametrize("game", ["Backgammon", "Tavla", "Tavli"])
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


def test_guids():
    assert read_guid(ANN.upper()) == ANN
    for wrong in (ANN.replace("-", ""), f"{{{ANN}}}", ANN[:-1], ANN + "\n", 3, None):
        assert read_guid(wrong) is None
    assert named_guid("tim") == named_guid("tim") != named_guid("tom")
    assert read_guid(named_guid("tim"))
    assert modus_of(ANN) in {0, 1, 2}
    guids = [f"{str(first) * 8}-0000-4000-8000-{last:012}" for first in range(9) for last in range(9)]
    names = {player_name(guid) for guid in guids}
    assert len(names) == len(guids), "GUIDs that were made by hand are as different"
    assert all(len(name) == len("gx-") + 12 for name in names)


def test_fields_and_places_fit_the_lobbys_moves(hub, monkeypatch):
    client = standing_at(hub, monkeypatch, Stage.ROLLED)
    variant = hub.harness.match().state.position.variant
    assert write_hops(((place_of(variant, 0, 0), place_of(variant, 0, 3)),)) == "24/21"
    client.ask("Move", 0, 3)
    assert hub.harness.match().moves[-1].text == "24/21"


@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_how_bytes_are_cut_makes_no_difference(data):
    script = [("JoinMatch", ANN), ("GameState",), ("Nope",), ("Roll",), ("JoinMatch", ANN), ("Move", "x", 3)]

    def said(cuts):
        hub = Hub()
        ann = hub.connect(ANN, hub.book(ANN))
        stream = b"".join(call(name, ann.match_id, *rest, id=str(index)) for index, (name, *rest) in enumerate(script))
        ends = [0, *cuts, len(stream)]
        for start, end in pairwise(ends):
            ann.receive(stream[start:end])
        return bytes(ann.said)

    cuts = sorted(data.draw(st.lists(st.integers(0, 700), max_size=12)))
    assert said(cuts) == said([])


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(1 << 40), 1 << 40)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@settings(max_examples=examples(100), deadline=None)
@given(st.lists(st.tuples(st.sampled_from([*CALLS, "JoinMatch", "Nope"]), st.lists(JSON, max_size=4)), max_size=8))
def test_whatever_is_sent_every_call_is_completed(calls):
    hub = Hub()
    ann = hub.join(ANN)
    hub.join(BOB)
    before = digest(hub.harness.lobby)
    for name, arguments in calls:
        ann.invoke(name, *arguments)
        if arguments:
            ann.ask(name, *arguments[1:])
        assert ann.ended is None
    wanted = {name for name, arguments in calls if len(arguments) == 1}
    if not wanted & {"StartGame", "ResignMatch"}:
        assert digest(hub.harness.lobby) == before

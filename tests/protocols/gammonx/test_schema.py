"""The payloads held against the document's samples: the same members in the same order, and the document's numbers."""

import json
import re
from pathlib import Path

import pytest

from protocols.gammonx import PROTOCOL, handlers, rendering, schema, session
from protocols.gammonx.handlers import TABLES
from protocols.gammonx.profiles import PROFILES
from protocols.gammonx.rest import BadBody, read_body
from protocols.gammonx.schema import LATER_METHODS
from tests.support.gammonx_client import ANN, BOB, Hub, scripted
from tests.support.tables import lines, table

# The samples of the document, their values left out where they are not what the test is about. The document's
# pips (157) and its double of two dice are mistakes of the server it was written down from.
GAME_STATE, MATCH_STATE = (
    "".join(lines(__file__, f"the document's {event}")) for event in ("game-state", "match-ended")
)

SOURCES = [Path(module.__file__).read_text("utf-8") for module in (handlers, handlers, rendering, session)]
"""The module that names the events."""

BEYOND = {
    "used",
    "usedDices",
    "points",
    "startDiceRoll",
    "userName",
    "winnerPoints",
    "loser",
    "loserPoints",
    "stackTrace",
}
"""Members that the document's sample does not have."""


def shape(value):
    """The members in their order, all the way down; of lists, what their first element has; values by their kind."""
    if isinstance(value, dict):
        return {key: shape(inner) for key, inner in value.items() if key not in BEYOND}
    if isinstance(value, list):
        return [shape(value[0])] if value else []
    return type(value).__name__


def ordered(value):
    return json.dumps(shape(value))


def test_game_state_is_the_documents(monkeypatch):
    scripted(monkeypatch, [6, 1, 2, 2])
    ann, _ = Hub().started(game="Tavli")
    ((name, payload),) = ann.ask("Roll")
    sample = json.loads(GAME_STATE)
    assert ordered({"type": name, "payload": payload}) == ordered(sample)
    for member in ("modus", "phase", "turnNumber", "boardState", "allowedCommands"):
        assert payload[member] == sample["payload"][member]
    assert payload["diceRolls"] == [{"roll": 2, "used": False}] * 4
    assert payload["activeTurn"] == ANN
    assert payload["moveSequences"][0]["usedDices"] == [2, 2, 2, 2]


def test_match_state_is_the_documents(monkeypatch):
    scripted(monkeypatch, [6, 1] * 20)
    ann, bob = Hub().started(game="Tavli")
    for _ in range(2):
        bob.ask("ResignGame")
        ann.ask("StartGame")
        bob.ask("StartGame")
    ann.forget()
    bob.ask("ResignGame")
    (name, payload), _ = ann.heard()
    sample = json.loads(MATCH_STATE)
    assert payload.pop("winner") == ANN, "beyond the document, though not in a round"
    assert ordered({"type": name, "payload": payload}) == ordered(sample)
    for member in ("gameRound", "variant", "modus", "type", "allowedCommands"):
        assert payload[member] == sample["payload"][member]
    assert [(each["modus"], each["phase"], each["score"]) for each in payload["gameRounds"]] == [
        (2, 6, 2),
        (3, 6, 2),
        (4, 6, 2),
    ]
    assert (payload["player1"]["score"], payload["player2"]["score"]) == (6, 0)
    assert (payload["player1"]["id"], payload["player2"]["id"]) == (ANN, BOB)
    assert payload["groupName"] == f"match_{payload['id']}"


def members(kind):
    unstructured = schema.CONVERTER.unstructure(kind)
    return list(unstructured)


def test_other_payloads():
    assert members(schema.LobbyPayload("", "", "", None, match_found=False)) == [
        "id",
        "groupName",
        "player1",
        "player2",
        "matchFound",
        "allowedCommands",
    ]
    assert members(schema.ErrorPayload("", "")) == ["code", "message", "stackTrace", "allowedCommands"]
    assert members(schema.EmptyPayload()) == ["allowedCommands"]
    joined = schema.Response("OK", schema.Joined("m", "q", schema.QueueStatus.OPPONENT_FOUND, "t"))
    assert schema.CONVERTER.dumps(joined) == (
        b'{"type":"OK","payload":{"matchId":"m","queueId":"q","status":1,"token":"t"}}'
    )


def test_the_numbers_of_the_document():
    assert [int(each) for each in schema.GamePhase] == [0, 1, 2, 3, 5, 6]
    assert {each.name: int(each) for each in schema.GameModus} == {
        "BACKGAMMON": 0,
        "TAVLA": 1,
        "PORTES": 2,
        "PLAKOTO": 3,
        "FEVGA": 4,
    }
    assert [int(each) for each in (*schema.MatchVariant, *schema.MatchModus, *schema.MatchType)] == [0, 1, 2] * 3


def test_a_body_as_the_document_has_it():
    sample = json.dumps({"PlayerId": ANN.upper(), "MatchVariant": 2, "MatchModus": 0, "MatchType": 2}).encode()
    assert read_body(sample, schema.JoinRequest) == schema.JoinRequest(ANN, 2, 0, 2)
    assert read_body(b'{"playerid":"%s","x":1}' % ANN.encode(), schema.JoinRequest) == schema.JoinRequest(ANN)
    assert read_body(b"{}", schema.JoinRequest) == schema.JoinRequest()


@pytest.mark.parametrize(("body", "wrong"), [("", ""), *table(__file__, "bodies, and what cannot be read in them")])
def test_bodies_that_cannot_be_read(body, wrong):
    with pytest.raises(BadBody) as raised:
        read_body(body.encode(), schema.JoinRequest)
    assert set(raised.value.errors) == {wrong, "req"}


def test_the_guide_names_everything():
    guide = PROTOCOL.guide
    rows = re.findall(r"^\| [^|]+ \| ((?:`\w+`[ ,]?)+)", guide, re.MULTILINE)
    told = {frozenset(re.findall(r"`(\w+)`", row)) for row in rows}
    for stage, row in [entry for stages in TABLES.values() for entry in stages.items()]:
        names = frozenset(method.__name__ for method in row) - {"OfferDouble"}
        assert not names or names in told, f"{stage} allows {names}"
    for code in (wording.code for profile in PROFILES.values() for wording in profile.wordings.values()):
        assert f"`{code}`" in guide
    for method in LATER_METHODS:
        assert f"`{method.__name__}`" in guide
    said = {name for profile in PROFILES.values() for name in (profile.before_match, profile.waiting_for_match)}
    pattern = r'"((?:match|game|double|player|force)-[a-z-]+)"'
    said |= {name for source in SOURCES for name in re.findall(pattern, source)}
    assert {"match-lobby-found", "game-state", "force-disconnect"} <= said
    for event in said:
        assert f"`{event}`" in guide

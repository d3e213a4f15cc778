"""The strict clients take every conversation of the project, and refuse wrong ones."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from games.reversi import GAME as REVERSI
from games.tic_tac_toe import GAME as TIC_TAC_TOE
from tests.clients import Refused
from tests.clients.connect_four import ConnectFourClient
from tests.clients.gammonx import GammonXClient, record
from tests.clients.mastermind import MastermindClient
from tests.clients.strategic import StrategicClient
from tests.clients.web import WebClient, line
from tests.protocols.test_transcripts import TRANSCRIPTS
from tests.support.transcripts import to_bytes
from tests.support.transcripts.dialects import web_key
from tests.support.transcripts.model import MANNERS, Said, Transcript

RULES = {game.name: game for game in (REVERSI, TIC_TAC_TOE)}
Client = StrategicClient | ConnectFourClient | MastermindClient | WebClient
CLIENTS: Mapping[str, Callable[[], Client]] = {
    "strategic": lambda: StrategicClient(RULES.get),
    "connect-four": ConnectFourClient,
    "mastermind": MastermindClient,
    "web": lambda: WebClient(RULES.get),
}
WELCOMES = {"strategic": b"OK", "connect-four": b'{"event":"lobby","free lobbies":[],"message":"lobby message"}'}
CASES = [(protocol, name) for protocol in CLIENTS for name in TRANSCRIPTS if TRANSCRIPTS[name].said(protocol)]


@pytest.mark.parametrize(("protocol", "name"), CASES)
def test_shared_conversation_is_taken(protocol: str, name: str) -> None:
    clients: dict[str, Client] = {}
    transcript = TRANSCRIPTS[name]
    for entry, dialect in transcript.spoken():
        if dialect.name != protocol:
            continue
        if isinstance(entry, Said):
            if entry.text.startswith("S>"):
                clients[entry.who].hear(to_bytes(entry.text.partition(" ")[2]))
        elif entry.verb in {"connects", "enters"}:
            client = clients[entry.who] = _client_of(protocol, transcript)
            if entry.verb == "enters":
                name = entry.given["as"]
                assert dialect.enters is not None
                client.wrote(f"{dialect.enters(name)}\n".encode())
                for greeting in dialect.greeting(transcript.settings.reached(entry).profile):
                    client.hear(greeting.encode())
                client.hear(WELCOMES.get(protocol) or line(tell="welcome", name=name, key=web_key(name)))
        elif entry.verb == "sends":
            clients[entry.who].wrote(MANNERS[0].sent(entry.what))
        elif entry.verb == "half-closes":
            clients[entry.who].wrote_all()


def _client_of(protocol: str, transcript: Transcript) -> Client:
    if protocol == "connect-four":
        return ConnectFourClient("@options time_elapsed_error=false" not in transcript.head)
    return CLIENTS[protocol]()


def converse(client: Client, line_end: bytes, conversation: tuple[str, ...]) -> None:
    """Hold a conversation. A line that begins with `<` alone has no end."""
    for each in conversation:
        if each.startswith("> "):
            client.wrote(each[2:].encode() + line_end)
        else:
            list(client.receive(each.lstrip("< ").encode() + line_end * each.startswith("< ")))
    client.end()


ENTERED = (*("< Game Server [text protocol]", "< Type 'help' for the list of commands"), "> login ann", "< OK")
MATCH = '< SVR GAME MATCH {PLAYERTOMOVE: "ann", GAMETYPE: "Tic-tac-toe", OPPONENT: "bob"}'
TURN = '< SVR GAME YOURTURN {TURNMESSAGE: ""}'
CHALLENGE = '< SVR GAME CHALLENGE {CHALLENGER: "bob", CHALLENGENUMBER: "7", GAMETYPE: "Reversi", TURNTIME: "10"}'


def moved(player: str, move: str, details: str = "") -> str:
    return f'< SVR GAME MOVE {{PLAYER: "{player}", MOVE: "{move}", DETAILS: "{details}"}}'


def ended(result: str, one: int, two: int) -> str:
    return f'< SVR GAME {result} {{PLAYERONESCORE: "{one}", PLAYERTWOSCORE: "{two}", COMMENT: ""}}'


PLAYED = (MATCH, *(moved(*move) for move in (("ann", "0"), ("bob", "3"), ("ann", "1"), ("bob", "4"), ("ann", "2"))))


@pytest.mark.parametrize(
    ("conversation", "why"),
    [
        (("< Welcome",), "not the banner"),
        ((ENTERED[0], "< OK"), "not the banner"),
        ((*ENTERED[:2], MATCH), "before the login"),
        ((*ENTERED, "< OK"), "nothing was asked"),
        ((*ENTERED, "< ERR Not in any match"), "nothing was asked"),
        ((*ENTERED, "> bye", "< OK"), "nothing was asked"),
        ((*ENTERED, "< Ok"), "no line of the protocol"),
        ((*ENTERED, "< "), "no line of the protocol"),
        ((*ENTERED, "< SVR GAMELIST []"), "nobody asked"),
        ((*ENTERED, "> get playerlist", "< OK", "< SVR GAMELIST []"), "nobody asked"),
        ((*ENTERED, "> get gamelist", "< OK", "< SVR GAMELIST []", "< SVR GAMELIST []"), "nobody asked"),
        ((*ENTERED, "> help", "< ERR no", "< SVR HELP "), "nobody asked"),
        ((*ENTERED, MATCH.replace(', OPPONENT: "bob"', "")), "no line of the protocol"),
        ((*ENTERED, MATCH.replace('"bob"', '"b"b"')), "no line of the protocol"),
        ((*ENTERED, MATCH.replace("ann", "eva")), "moves first"),
        ((*ENTERED, MATCH.replace("bob", "ann")), "plays against itself"),
        ((*ENTERED, MATCH, MATCH), "during"),
        ((*ENTERED, TURN), "outside a match"),
        ((*ENTERED, ended("DRAW", 0, 0)), "outside a match"),
        ((*ENTERED, MATCH, TURN, TURN), "told twice"),
        ((*ENTERED, MATCH, moved("ann", "4"), TURN), "not to move"),
        ((*ENTERED, MATCH, moved("eva", "4")), "of nobody"),
        ((*ENTERED, MATCH, moved("ann", "4"), moved("ann", "4")), "not legal"),
        ((*ENTERED, MATCH, moved("ann", "9")), "not legal"),
        ((*ENTERED, MATCH, moved("ann", "9", "Illegal move"), moved("bob", "1")), "after an illegal move"),
        ((*ENTERED, MATCH, ended("WIN", 1, -1)), "before the end"),
        ((*ENTERED, *PLAYED, ended("LOSS", 1, -1)), "does not follow"),
        ((*ENTERED, *PLAYED, ended("WIN", 0, 0)), "does not follow"),
        ((*ENTERED, *PLAYED, ended("WIN", 1, -1), ended("WIN", 1, -1)), "outside a match"),
        ((*ENTERED, CHALLENGE, CHALLENGE), "open already"),
        ((*ENTERED, '< SVR GAME CHALLENGE CANCELLED {CHALLENGENUMBER: "7"}'), "not open"),
        ((*ENTERED, "< ERR Payload too large", "< OK"), "after the last words"),
        ((*ENTERED, "<OK"), "half a message"),
    ],
)
def test_wrong_conversation_of_text_is_refused(conversation: tuple[str, ...], why: str) -> None:
    with pytest.raises(Refused, match=re.escape(why)):
        converse(StrategicClient(RULES.get), b"\r\n", conversation)


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(Refused, match="UTF-8"):
        StrategicClient().hear(b"\xff")


NEW_GAME = '> 0|{"NbrColors":6,"MaxTries":2,"CodeLength":4}'
ACCEPT = '< 5|{"Accept":true,"Attributes":{"NbrColors":6,"MaxTries":2,"CodeLength":4}}'
GUESS = '> 1|{"Guess":[0,0,1,1]}'
ANSWER = '< 2|{"Answer":[0,1,2,2]}'
BEGUN = (NEW_GAME, ACCEPT)
NO_GAME = '< 6|{"Message":"No active Game","ErrorType":2}'
STOPPING = '< 6|{"Message":"stopping","ErrorType":3}'


@pytest.mark.parametrize(
    ("conversation", "why"),
    [
        ((ACCEPT,), "nothing was asked"),
        ((*BEGUN, ACCEPT), "nothing was asked"),
        ((NO_GAME,), "nothing was asked"),
        ((STOPPING, STOPPING), "nothing was asked"),
        ((NEW_GAME, "< OK"), "not JSON"),
        ((NEW_GAME, "< 7|{}"), "no message of the server"),
        ((NEW_GAME, ACCEPT.replace(",", ", ")), "no message of the server"),
        ((NEW_GAME, '< 5|{"Accept":true}'), "no message of the server"),
        ((NEW_GAME, ACCEPT.replace("true", "false")), "is answered with"),
        ((NEW_GAME, ACCEPT.replace("6", "7")), "another game"),
        ((NEW_GAME, ANSWER), "is answered with"),
        ((NEW_GAME, '< 6|{"Message":"x","ErrorType":4}'), "no error has the type"),
        ((GUESS, ANSWER), "is answered with"),
        ((*BEGUN, "> 4|{}", ANSWER), "is answered with"),
        ((*BEGUN, '> 1|{"Guess":[0,0,1]}', ANSWER), "is answered with"),
        ((*BEGUN, '> 1|{"Guess":[0,0,1,6]}', ANSWER), "is answered with"),
        ((*BEGUN, GUESS, '< 6|{"Message":"x","ErrorType":1}'), "is legal"),
        ((*BEGUN, GUESS, '< 2|{"Answer":[0,1,2]}'), "no answer to"),
        ((*BEGUN, GUESS, '< 2|{"Answer":[1,0,2,2]}'), "no answer to"),
        ((*BEGUN, GUESS, '< 2|{"Answer":[0,1,2,3]}'), "no answer to"),
        ((*BEGUN, GUESS, '< 2|{"Answer":[0,0,0,0]}'), "is over after"),
        ((*BEGUN, GUESS, ANSWER, GUESS, ANSWER), "is over after"),
        ((*BEGUN, GUESS, '< 3|{"Won":false,"Tries":1,"Code":[0,0,1,2]}'), "tries left"),
        ((*BEGUN, GUESS, '< 3|{"Won":true,"Tries":1,"Code":[0,0,1,2]}'), "does not follow"),
        ((*BEGUN, GUESS, '< 3|{"Won":true,"Tries":2,"Code":[0,0,1,1]}'), "does not follow"),
        ((*BEGUN, GUESS, '< 3|{"Won":false,"Tries":1,"Code":[0,0,1,6]}'), "is not one of"),
        ((*BEGUN, GUESS, ANSWER, "> 4|{}", '< 3|{"Won":false,"Tries":1,"Code":[0,1,2,2]}'), "does not follow"),
        ((*BEGUN, GUESS, ANSWER, "> 4|{}", '< 3|{"Won":false,"Tries":0,"Code":[2,2,2,2]}'), "does not fit"),
        (("> 4|{}", '< 3|{"Won":false,"Tries":0,"Code":[2,2,2,2]}'), "no game is on"),
        ((*BEGUN, "<2"), "half a message"),
    ],
)
def test_wrong_conversation_of_mastermind_is_refused(conversation: tuple[str, ...], why: str) -> None:
    with pytest.raises(Refused, match=re.escape(why)):
        converse(MastermindClient(), b"\n", conversation)


def say(action: str, **more: Any) -> str:
    return f"> {json.dumps({'action': action} | more)}"


def event(event: str, message: str, **content: Any) -> str:
    return f"< {json.dumps({'event': event} | content | {'message': message}, separators=(',', ':'))}"


def column(move: str) -> str:
    return event("opponent moved", "opponent moved message", move=move)


def wrong(reason: str, message: str, **move: str) -> str:
    return event("error", message, reason=reason, **move)


def game_over(winner: str, *cells: str) -> str:
    return event("game over", "lost message", winner=winner, **{"winning move": cells or None})


JOIN, START = say("join", **{"room number": 3}), say("start")
LIST = event("lobby", "lobby message", **{"free lobbies": [{"room number": 3, "opponent": "No player1 yet"}]})
ROOM = event("game", "game message", opponent="bob")
STARTED = event("started", "game started message", opponent="bob")
MAKE_MOVE = event("make move", "make move message")
KEYS, DENIED, TAKEN = (
    "invalid keys used",
    "the move was not permitted",
    "name or IP is already used or invalid characters",
)
FULL = wrong("game full", "the game is full at the moment")
EXIT, OUT_OF_PLACE, WRONG_MOVE = say("exit game"), wrong("missing keys", KEYS), say("move", move=3)
IN_LOBBY = (say("connect", name="ann"), LIST)
IN_ROOM = (*IN_LOBBY, JOIN, ROOM)
IN_PLAY = (*IN_ROOM, START, STARTED)
MOVED = (*IN_PLAY, MAKE_MOVE, say("move", move="a0"))
FULL_COLUMN = wrong("invalid move", f"{DENIED}: full", move="a0")
LATE = wrong("time elapsed", "move took too long", move="d3")
COLUMN = (*MOVED, *(line for move in ("b0", "b1", "b2") for line in (column(move), MAKE_MOVE, MOVED[-1])))
CELLS = ("000", "001", "002", "003")


@pytest.mark.parametrize(
    ("conversation", "why"),
    [
        (("< lobby",), "no line of the protocol"),
        (("< []",), "no line of the protocol"),
        ((event("chat", ""),), "no line of the protocol"),
        ((LIST.replace(":", ": "),), "no line of the protocol"),
        ((*IN_LOBBY, JOIN, ROOM.replace("opponent", "player")), "no line of the protocol"),
        ((*IN_PLAY, MAKE_MOVE.replace('"message"', '"move":"a0","message"')), "no line of the protocol"),
        ((*IN_LOBBY, JOIN, ROOM.replace("game message", "game")), "no line of the protocol"),
        ((*IN_LOBBY, JOIN, ROOM.replace("game message", "game message!")), "not the constant one"),
        ((LIST,), "nobody asked"),
        ((*IN_LOBBY, LIST), "nobody asked"),
        ((*IN_PLAY, LIST), "nobody asked"),
        ((say("disconnect"), LIST), "nobody asked"),
        ((IN_LOBBY[0], LIST.replace("No player1 yet", "")), "no list of rooms"),
        ((IN_LOBBY[0], LIST.replace("3", "-3")), "not numbered"),
        ((*IN_LOBBY, ROOM), "nobody asked"),
        ((*IN_ROOM, ROOM), "nobody asked"),
        ((*IN_LOBBY, say("connect"), JOIN, ROOM), "nobody asked"),
        ((*IN_LOBBY, JOIN, ROOM.replace("bob", "ann")), "against nobody"),
        ((*IN_ROOM, STARTED), "nobody asked"),
        ((*IN_PLAY, STARTED), "nobody asked"),
        ((*IN_ROOM, START, STARTED.replace("bob", "")), "against nobody"),
        ((*IN_ROOM, START, event("started", "game started message", opponent="bob", moves=["a4"])), "not legal"),
        ((*IN_ROOM, MAKE_MOVE), "comes in a room"),
        ((*IN_PLAY, MAKE_MOVE, MAKE_MOVE), "told twice"),
        ((*MOVED, MAKE_MOVE), "told twice"),
        ((*MOVED, column("b0"), column("b0")), "is to move"),
        ((*IN_PLAY, MAKE_MOVE, column("b0")), "left out"),
        ((*IN_PLAY, column("b4")), "not legal"),
        ((*IN_PLAY, column("b0"), MAKE_MOVE, LATE, MAKE_MOVE), "not to move"),
        ((*IN_PLAY, LATE), "not to move"),
        ((*IN_PLAY, MAKE_MOVE, LATE, LATE), "not to move"),
        ((*IN_ROOM, game_over("you")), "comes in a room"),
        ((*MOVED, game_over("bob")), "no end of a game"),
        ((*MOVED, game_over("draw", *CELLS)), "no end of a game"),
        ((*MOVED, game_over("you", *CELLS[:3])), "no cells"),
        ((*MOVED, game_over("you", *CELLS)), "does not follow"),
        ((*COLUMN, game_over("opponent", *CELLS)), "does not follow"),
        ((*COLUMN, game_over("you", *CELLS[:3], "103")), "does not follow"),
        ((*COLUMN, game_over("you", *CELLS), game_over("you", *CELLS)), "comes after a game"),
        ((wrong("missing keys", KEYS),), "nothing was asked"),
        ((*IN_ROOM, START, wrong("missing keys", KEYS)), "nothing was asked"),
        ((*IN_ROOM, EXIT, LIST, OUT_OF_PLACE), "nothing was asked"),
        ((*IN_ROOM, START, LIST, say("fly"), *[OUT_OF_PLACE] * 3), "nothing was asked"),
        ((*IN_ROOM, START, LIST, say("connect"), OUT_OF_PLACE, OUT_OF_PLACE), "nothing was asked"),
        ((*IN_ROOM, START, LIST, say("connect"), OUT_OF_PLACE, LIST, OUT_OF_PLACE), "nothing was asked"),
        ((*IN_ROOM, START, LIST, JOIN, *[OUT_OF_PLACE] * 3), "nothing was asked"),
        ((*IN_ROOM, START, EXIT, LIST, OUT_OF_PLACE, OUT_OF_PLACE), "nothing was asked"),
        ((*IN_PLAY, say("move", move="a0"), column("a1"), OUT_OF_PLACE), "nothing was asked"),
        ((*MOVED, column("b0"), MAKE_MOVE, FULL_COLUMN), "nothing was asked"),
        ((*IN_LOBBY, JOIN, wrong("invalid move", DENIED)), "nothing was asked"),
        ((*IN_LOBBY, JOIN, wrong("lobby entry denied", TAKEN)), "nothing was asked"),
        ((*IN_LOBBY, JOIN, wrong("game full", "full")), "no error of the protocol"),
        ((*IN_LOBBY, JOIN, wrong("no such lobby", "there is no such lobby", move="a0")), "there is a move"),
        ((*MOVED, FULL_COLUMN), "is legal"),
        ((*IN_PLAY, say("move", move="a0"), wrong("move denied", DENIED)), "not to move"),
        ((*IN_LOBBY, wrong("lobby entry denied", "The server is stopping"), LIST), "after the last words"),
        ((IN_LOBBY[0], "<{}"), "half a message"),
    ],
)
def test_wrong_conversation_of_connect_four_is_refused(conversation: tuple[str, ...], why: str) -> None:
    with pytest.raises(Refused, match=re.escape(why)):
        converse(ConnectFourClient(), b"\n", conversation)


@pytest.mark.parametrize(
    "conversation",
    [
        (*IN_ROOM, START, EXIT, LIST, OUT_OF_PLACE, LIST),
        (*IN_ROOM, START, LIST, say("fly"), OUT_OF_PLACE),
        (*IN_ROOM, START, LIST, say("fly"), OUT_OF_PLACE, OUT_OF_PLACE),
        (*IN_ROOM, START, LIST, say("connect"), OUT_OF_PLACE, LIST),
        (*IN_ROOM, START, LIST, JOIN, OUT_OF_PLACE, ROOM),
        (*IN_ROOM, START, LIST, JOIN, OUT_OF_PLACE),
        (*IN_ROOM, START, LIST, JOIN, FULL),
        (*IN_PLAY, WRONG_MOVE, column("a1"), OUT_OF_PLACE),
        (*MOVED, WRONG_MOVE, column("b0"), MAKE_MOVE, OUT_OF_PLACE),
        (*IN_PLAY, MAKE_MOVE, LATE, say("move", move="a0"), column("b0"), MAKE_MOVE, column("b1")),
        (*MOVED, LATE, column("b0"), MAKE_MOVE, say("move", move="d1"), column("b1"), MAKE_MOVE, column("b2")),
        (*MOVED, LATE, column("b0"), MAKE_MOVE, FULL_COLUMN, MAKE_MOVE),
    ],
    ids=[
        "the list came by itself",
        "start was taken",
        "start was refused",
        "start was refused before connect",
        "start was refused before join",
        "join was refused",
        "the room was full",
        "a move crosses",
        "a move answers",
        "a late move counts for the next question, as the server waits no more",
        "so does each after it",
        "a late move is refused as the answer to the next question",
    ],
)
def test_requests_that_cross_what_is_told_are_answered(conversation: tuple[str, ...]) -> None:
    client = ConnectFourClient()
    converse(client, b"\n", conversation)
    assert not client.awaits


def told(tell: str, **content: Any) -> str:
    return f"< {json.dumps({'tell': tell} | content)}"


def asked(do: str, **content: Any) -> str:
    return f"> {json.dumps({'do': do} | content)}"


HELLO = told("hello", server_ms=5, version=1)
WELCOME = told("welcome", name="ann", key="K" * 22)
CAME_IN = (HELLO, asked("login", name="ann"), WELCOME)
SEATED = {
    "match": 7,
    "game": "Tic-tac-toe",
    "players": ["ann", "bob"],
    "you": 0,
    "turn_time_s": 9,
    "number": 1,
    "commitment": "",
}
PAIRED = told("paired", **SEATED, ready=[], ready_by_ms=9, resumed=False)
OPENED = told("match", **SEATED, first=0, moves=[], played=[], resumed=False)
SHOWN = told("match", **SEATED, first=0, moves=[], played=[], away=[], whole="Tic-tac-toe", resumed=True)
TO_MOVE = told("turn", match=7, turn=0, seats=[0], prompt="", deadline_ms=9)
IN_GAME = (*CAME_IN, PAIRED, OPENED)
LOST = told("refused", match=7, seat=0, player="ann", move="9", why="")
ILLEGAL = {"match": 7, "result": "loss", "reason": "illegal move", "points": [-1, 1], "winners": [1], "by": 0}
NEW_CHALLENGE = told("challenged", **{"number": 3, "from": "bob", "game": "Reversi", "turn_time_s": 9})
GOODBYE = told("goodbye", why="", kind="stopping")
GAME = {"match": 7, "game": "Tic-tac-toe"}
EMPTY = {"lines": [], "picture": None, "moves": [], "moves_total": 0, "sides": [], "awaited": [0], "prompt": ""}
BOARD = GAME | EMPTY | {"step": 0, "turn": 0, "deadline_ms": 9}
OK_BOARD = told("ok", do="board")


def made(seat: int | None, player: str, move: str, by: str = "player") -> str:
    return told("moved", match=7, seat=seat, player=player, move=move, details="", by=by)


def over(tell: str = "game over", **changed: Any) -> str:
    more = {"number": 1, "reason_text": "", "revealed": "", "why": "", "ready_by_ms": None}
    return told(tell, **ILLEGAL | (more if tell == "game over" else {}) | changed)


@pytest.mark.parametrize(
    ("conversation", "why"),
    [
        (("< hello",), "not JSON"),
        (("< []",), "no message of the server"),
        ((told("greetings"),), "no message of the server"),
        ((told("hello", server_ms=5),), "no message of the server"),
        ((told("hello", server_ms=5, version=1, more=1),), "no message of the server"),
        ((told("hello", server_ms=5, version=2),), "another version"),
        ((HELLO, HELLO), "comes first, and once"),
        ((asked("list"), told("ok", do="list")), "comes first, and once"),
        ((HELLO, NEW_CHALLENGE), "before the login"),
        ((HELLO, told("ok", do="list")), "nothing was asked"),
        ((*CAME_IN, asked("bye"), told("ok", do="bye")), "nothing was asked"),
        ((*CAME_IN, asked("seek", game="Reversi"), told("ok", do="list")), "is answered with"),
        ((*CAME_IN, asked("seek", game="Reversi", id=4), told("ok", do="seek")), "is answered with"),
        ((*CAME_IN, asked("seek", game="Reversi"), told("ok", do="seek", id=4)), "is answered with"),
        ((*CAME_IN, asked("ping", at=1), told("ok", do="ping")), "is answered with"),
        ((*CAME_IN, asked("ping", at=1), told("pong", at=2, server_ms=9)), "is answered with"),
        ((*CAME_IN, asked("ping", at=1), told("pong", at=1, server_ms=4)), "is answered with"),
        ((*CAME_IN, asked("say"), told("error", do="list", code="bad message", why="")), "is answered with"),
        ((*CAME_IN, asked("login", name="ann"), WELCOME), "is answered with"),
        ((HELLO, asked("login", name="eva"), WELCOME), "is answered with"),
        ((HELLO, asked("login", name="ann", key="A" * 22), WELCOME), "is answered with"),
        ((HELLO, asked("login", name="ann"), told("welcome", name="ann", key="K")), "no key"),
        ((*CAME_IN, told("players", players=[], games=[])), "nobody asked"),
        ((*CAME_IN, asked("list"), told("ok", do="list"), told("games", games=[])), "nobody asked"),
        ((*CAME_IN, asked("list"), asked("seek"), told("ok", do="list"), told("ok", do="seek")), "has no answer"),
        ((*IN_GAME, asked("board"), OK_BOARD, told("board", **BOARD, id=1)), "nobody asked"),
        ((*IN_GAME, asked("board"), OK_BOARD, told("board", **BOARD | {"moves_total": 2})), "not as many moves"),
        ((*IN_GAME, asked("board"), OK_BOARD, told("board", **BOARD | {"match": 8})), "another match"),
        ((*CAME_IN, told("said", **{"from": "bob", "text": "", "id": 1})), "an id comes"),
        ((*CAME_IN, NEW_CHALLENGE, NEW_CHALLENGE), "open already"),
        ((*CAME_IN, told("challenge closed", number=3)), "not open"),
        ((*CAME_IN, OPENED), "comes in None"),
        ((*CAME_IN, PAIRED, PAIRED), "comes during"),
        ((*CAME_IN, PAIRED.replace('"you": 0', '"you": 1')), "another's seat"),
        ((*CAME_IN, PAIRED, OPENED.replace("7", "8")), "comes in"),
        ((*CAME_IN, PAIRED, OPENED.replace('"number": 1', '"number": 2')), "comes in"),
        ((*CAME_IN, PAIRED, SHOWN, SHOWN), "comes in"),
        ((*CAME_IN, SHOWN.replace('"number": 1', '"number": 2')), "left out"),
        ((*CAME_IN, SHOWN.replace(', "away": []', "")), "left out"),
        ((*CAME_IN, SHOWN.replace('"moves": []', '"moves": [{"move": "4"}]')), "no move"),
        ((*CAME_IN, PAIRED, TO_MOVE), "comes in"),
        ((*CAME_IN, TO_MOVE), "comes in"),
        ((*IN_GAME, TO_MOVE.replace("[0]", "[1]")), "not to move"),
        ((*IN_GAME, made(0, "ann", "4"), TO_MOVE), "not to move"),
        ((*IN_GAME, made(0, "bob", "4")), "names another player"),
        ((*IN_GAME, made(0, "", "4")), "of nobody"),
        ((*IN_GAME, made(0, "ann", "4", by="chance")), "of nobody"),
        ((*IN_GAME, made(1, "bob", "4")), "not legal"),
        ((*IN_GAME, LOST, made(1, "bob", "4")), "comes in"),
        ((*IN_GAME, LOST, over(result="win")), "is a loss"),
        ((*IN_GAME, LOST, over(winners=[])), "is a draw"),
        ((*IN_GAME, LOST, over(reason="void", winners=[])), "is a void"),
        ((*IN_GAME, over(reason="played")), "does not follow"),
        ((*IN_GAME, over("match over")), "comes in"),
        ((*IN_GAME, LOST, over(), over("match over"), over("match over")), "comes in None"),
        ((*CAME_IN, told("goodbye", why="", kind="bored")), "no goodbye"),
        ((*CAME_IN, GOODBYE, GOODBYE), "after the goodbye"),
        ((HELLO, "<{}"), "half a message"),
    ],
)
def test_wrong_conversation_of_web_is_refused(conversation: tuple[str, ...], why: str) -> None:
    with pytest.raises(Refused, match=re.escape(why)):
        converse(WebClient(RULES.get), b"\n", conversation)


def hub_event(name: str, **payload: Any) -> bytes:
    return record({"type": 1, "target": name, "arguments": [{"type": name, "payload": payload}]})


MATCH_OPEN: dict[str, Any] = {"id": "m", "player1": {}, "player2": {}, "gameRounds": [{"phase": 6}]}
FIELDS = [-15, *[0] * 22, 15]
COUNTS = dict.fromkeys(("homeBarCountWhite", "homeBarCountBlack", "bearOffCountWhite", "bearOffCountBlack"), 0)
HUB_GAME: dict[str, Any] = {
    "id": "g",
    "matchId": "m",
    "phase": 0,
    "activeTurn": "ann",
    "turnNumber": 2,
    "diceRolls": [],
    "moveSequences": [],
    "boardState": {"fields": FIELDS, "pinnedFields": None, **COUNTS},
    "allowedCommands": ["Roll"],
}
STANDS = hub_event("match-started", **MATCH_OPEN, allowedCommands=["StartGame"])
POSITION = hub_event("game-state", **HUB_GAME)
ROLL_ERROR = hub_event("error", code="ROLL_ERROR", message="", allowedCommands=[])
DONE = record({"type": 3, "invocationId": "0", "result": None})


@pytest.mark.parametrize(
    ("records", "why"),
    [
        ((b"hello\x1e",), "not JSON"),
        ((record({"type": 6}),), "no answer to the handshake"),
        ((record({}), record({})), "no record"),
        ((record({}), record({"type": 6, "more": 1})), "no record"),
        ((record({}), POSITION.replace(b'"type":"game-state"', b'"type":"game-ended"')), "no record"),
        ((record({}), record({"type": 7}), POSITION), "after the end"),
        ((record({"error": "stopping"}), POSITION), "after the end"),
        ((record({}), DONE, DONE), "is completed before"),
        ((record({}), DONE.replace(b"null", b"1")), "no record"),
        ((record({}), record({"type": 3, "invocationId": "0", "error": "An unexpected error"})), "failed"),
        ((record({}), hub_event("game-over", allowedCommands=[])), "no event"),
        ((record({}), POSITION.replace(b'"phase"', b'"stage"')), "no event"),
        ((record({}), POSITION.replace(b'"Roll"', b'"Jump"')), "does not end with what is allowed"),
        ((record({}), POSITION.replace(b"[-15,", b"[-14,")), "checkers"),
        ((record({}), POSITION, POSITION.replace(b'"turnNumber":2', b'"turnNumber":1')), "comes after"),
        ((record({}), POSITION.replace(b'"Roll"', b'"Move"')), "names none"),
        ((record({}), POSITION.replace(b'"Roll"', b'"Roll","EndTurn"')), "allows"),
        ((record({}), STANDS, STANDS.replace(b'"phase":6', b'"phase":5')), "games are over"),
        ((record({}), STANDS.replace(b'"StartGame"', b"")), "allows"),
        ((record({}), ROLL_ERROR, ROLL_ERROR), "comes after"),
        ((record({}), ROLL_ERROR.replace(b"ROLL", b"MOVE")), "was called"),
        ((b"{}",), "half a message"),
    ],
)
def test_wrong_conversation_of_gammonx_is_refused(records: tuple[bytes, ...], why: str) -> None:
    client = GammonXClient()
    client.call("Roll", "m")

    def converse() -> None:
        for each in records:
            list(client.receive(each))
        client.end()

    with pytest.raises(Refused, match=re.escape(why)):
        converse()

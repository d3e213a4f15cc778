"""The strict client of the text protocol takes every conversation of the project, and refuses wrong ones."""

import re

import pytest

from games.reversi import GAME as REVERSI
from games.tic_tac_toe import GAME as TIC_TAC_TOE
from tests.clients import Refused
from tests.clients.strategic import StrategicClient
from tests.protocols.test_transcripts import TRANSCRIPTS
from tests.support.transcripts import Transcript, to_bytes
from tests.support.transcripts.model import MANNERS, Action, Said

RULES = {game.name: game for game in (REVERSI, TIC_TAC_TOE)}
TEXT = {name: transcript for name, transcript in TRANSCRIPTS.items() if transcript.said("strategic")}


def judge(transcript: Transcript) -> int:
    """Feed each client of the text protocol what it says and hears; how many lines it heard."""
    clients: dict[str, StrategicClient] = {}
    lines = 0
    for entry, dialect in transcript.spoken():
        if dialect.name != "strategic":
            continue
        if isinstance(entry, Action) and entry.verb in {"connects", "enters"}:
            clients[entry.who] = StrategicClient(RULES.get)
            if entry.verb == "enters":
                client = clients[entry.who]
                client.say(f"login {entry.given['as']}")
                profile = transcript.settings.reached(entry).profile
                for line in (*dialect.greeting(profile), "OK"):
                    client.hear(line.encode())
        elif isinstance(entry, Action) and entry.verb == "sends":
            clients[entry.who].wrote(MANNERS[0].sent(entry.what))
        elif isinstance(entry, Action) and entry.verb == "half-closes":
            clients[entry.who].wrote_all()
        elif isinstance(entry, Said) and entry.text.startswith("S>"):
            clients[entry.who].hear(to_bytes(entry.text.partition(" ")[2]))
            lines += 1
    return lines


@pytest.mark.parametrize("name", TEXT)
def test_shared_conversation_is_taken(name: str) -> None:
    assert judge(TEXT[name])


ENTERED = (*("< Game Server [text protocol]", "< Type 'help' for the list of commands"), "> login ann", "< OK")
MATCH = '< SVR GAME MATCH {PLAYERTOMOVE: "ann", GAMETYPE: "Tic-tac-toe", OPPONENT: "bob"}'
TURN = '< SVR GAME YOURTURN {TURNMESSAGE: ""}'
CHALLENGE = '< SVR GAME CHALLENGE {CHALLENGER: "bob", CHALLENGENUMBER: "7", GAMETYPE: "Reversi", TURNTIME: "10"}'


def moved(player: str, move: str, details: str = "") -> str:
    return f'< SVR GAME MOVE {{PLAYER: "{player}", MOVE: "{move}", DETAILS: "{details}"}}'


def ended(result: str, one: int, two: int) -> str:
    return f'< SVR GAME {result} {{PLAYERONESCORE: "{one}", PLAYERTWOSCORE: "{two}", COMMENT: ""}}'


PLAYED = (MATCH, *(moved(*move) for move in (("ann", "0"), ("bob", "3"), ("ann", "1"), ("bob", "4"), ("ann", "2"))))


def converse(conversation: tuple[str, ...]) -> None:
    """Hold a conversation. A line that begins with `<` alone has no end."""
    client = StrategicClient(RULES.get)
    for line in conversation:
        if line.startswith("> "):
            client.say(line[2:])
        else:
            end = b"\r\n" if line.startswith("< ") else b""
            list(client.receive(line.lstrip("< ").encode() + end))
    client.end()


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
        ((*ENTERED, "<OK"), "half a line"),
    ],
)
def test_wrong_conversation_is_refused(conversation: tuple[str, ...], why: str) -> None:
    with pytest.raises(Refused, match=re.escape(why)):
        converse(conversation)


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(Refused, match="UTF-8"):
        StrategicClient().hear(b"\xff")

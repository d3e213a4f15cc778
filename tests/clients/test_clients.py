"""The strict clients take every conversation of the project, and refuse wrong ones."""

import re
from collections.abc import Callable, Mapping

import pytest

from games.reversi import GAME as REVERSI
from games.tic_tac_toe import GAME as TIC_TAC_TOE
from tests.clients import Refused
from tests.clients.mastermind import MastermindClient
from tests.clients.strategic import StrategicClient
from tests.protocols.test_transcripts import TRANSCRIPTS
from tests.support.transcripts import to_bytes
from tests.support.transcripts.model import MANNERS, Said

RULES = {game.name: game for game in (REVERSI, TIC_TAC_TOE)}
CLIENTS: Mapping[str, Callable[[], StrategicClient | MastermindClient]] = {
    "strategic": lambda: StrategicClient(RULES.get),
    "mastermind": MastermindClient,
}
CASES = [(protocol, name) for protocol in CLIENTS for name in TRANSCRIPTS if TRANSCRIPTS[name].said(protocol)]


@pytest.mark.parametrize(("protocol", "name"), CASES)
def test_shared_conversation_is_taken(protocol: str, name: str) -> None:
    clients: dict[str, StrategicClient | MastermindClient] = {}
    transcript = TRANSCRIPTS[name]
    for entry, dialect in transcript.spoken():
        if dialect.name != protocol:
            continue
        if isinstance(entry, Said):
            if entry.text.startswith("S>"):
                clients[entry.who].hear(to_bytes(entry.text.partition(" ")[2]))
        elif entry.verb in {"connects", "enters"}:
            client = clients[entry.who] = CLIENTS[protocol]()
            if entry.verb == "enters":
                assert isinstance(client, StrategicClient)
                client.say(f"login {entry.given['as']}")
                for line in (*dialect.greeting(transcript.settings.reached(entry).profile), "OK"):
                    client.hear(line.encode())
        elif entry.verb == "sends":
            clients[entry.who].wrote(MANNERS[0].sent(entry.what))
        elif entry.verb == "half-closes":
            clients[entry.who].wrote_all()


def converse(client: StrategicClient | MastermindClient, line_end: bytes, conversation: tuple[str, ...]) -> None:
    """Hold a conversation. A line that begins with `<` alone has no end."""
    for line in conversation:
        if line.startswith("> "):
            client.wrote(line[2:].encode() + line_end)
        else:
            list(client.receive(line.lstrip("< ").encode() + line_end * line.startswith("< ")))
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
        ((*ENTERED, "<OK"), "half a line"),
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

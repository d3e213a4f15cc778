"""The strict client of Mastermind takes every conversation of the project, and refuses wrong ones."""

import re

import pytest

from tests.clients import Refused
from tests.clients.mastermind import MastermindClient
from tests.protocols.test_transcripts import TRANSCRIPTS
from tests.support.transcripts import Transcript, to_bytes
from tests.support.transcripts.model import MANNERS, Action, Said

OURS = {name: transcript for name, transcript in TRANSCRIPTS.items() if transcript.said("mastermind")}


def judge(transcript: Transcript) -> int:
    """Feed each client of the protocol what it says and hears; how many messages it heard."""
    clients: dict[str, MastermindClient] = {}
    unsent: dict[str, bytes] = {}
    messages = 0
    for entry, dialect in transcript.spoken():
        if dialect.name != "mastermind":
            continue
        client = clients.setdefault(entry.who, MastermindClient())
        if isinstance(entry, Action) and entry.verb == "connects":
            clients[entry.who], unsent[entry.who] = MastermindClient(), b""
        elif isinstance(entry, Action) and entry.verb in {"sends", "half-closes"}:
            sent = MANNERS[0].sent(entry.what) if entry.verb == "sends" else b"\n" * bool(unsent[entry.who])
            *lines, unsent[entry.who] = (unsent[entry.who] + sent).split(b"\n")
            for line in lines:
                client.ask(line)
        elif isinstance(entry, Said) and entry.text.startswith("S>"):
            client.hear(to_bytes(entry.text.partition(" ")[2]))
            messages += 1
    return messages


@pytest.mark.parametrize("name", OURS)
def test_shared_conversation_is_taken(name: str) -> None:
    assert judge(OURS[name])


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
    ],
)
def test_wrong_conversation_is_refused(conversation: tuple[str, ...], why: str) -> None:
    client = MastermindClient()
    *lines, last = conversation
    for line in lines:
        if line.startswith("> "):
            client.ask(line[2:].encode())
        else:
            list(client.receive(line[2:].encode() + b"\n"))
    with pytest.raises(Refused, match=re.escape(why)):
        client.hear(last[2:].encode())

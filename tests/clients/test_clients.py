"""The strict clients take every conversation of the project, and refuse wrong ones, which `test_clients.txt` has.

There each protocol has its words, a name and the lines that it stands for. A row is the reason of the refusal and a
conversation: words, lines of the client behind `>` and of the server behind `<`, and a word with one change,
`MOVE, 4 => 9`. A line behind a `<` without a blank has no end.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

import pytest

from games.reversi import GAME as REVERSI
from games.tic_tac_toe import GAME as TIC_TAC_TOE
from tests.clients import Refused
from tests.clients.connect_four import ConnectFourClient
from tests.clients.gammonx import SEPARATOR, GammonXClient
from tests.clients.mastermind import MastermindClient
from tests.clients.strategic import StrategicClient
from tests.clients.web import WebClient, line
from tests.protocols.test_transcripts import TRANSCRIPTS
from tests.support.tables import table
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


def rolling() -> GammonXClient:
    """A client of GammonX that has called a method."""
    client = GammonXClient()
    client.call("Roll", "m")
    return client


WRONG: Mapping[str, tuple[Callable[[], Client | GammonXClient], bytes]] = {
    "text": (CLIENTS["strategic"], b"\r\n"),
    "Connect Four": (CLIENTS["connect-four"], b"\n"),
    "Mastermind": (CLIENTS["mastermind"], b"\n"),
    "web": (CLIENTS["web"], b"\n"),
    "GammonX": (rolling, SEPARATOR),
}
"""The clients of the conversations in the text file, and the ends of their lines."""


def conversations(protocol: str, heading: str) -> Iterator[tuple[str, str, list[str]]]:
    """The rows under a heading, their words replaced by the lines that they stand for."""
    words: dict[str, list[str]] = {}

    def lines_of(items: Iterable[str]) -> Iterator[str]:
        for item in items:
            name, _, change = item.partition(", ")
            old, _, new = change.partition(" => ")
            if item[0] in "<>":
                yield item
            else:
                yield from (line.replace(old, new) if old else line for line in words[name])

    for name, *items in table(__file__, f"words of {protocol}"):
        words[name] = list(lines_of(items))
    for name, *items in table(__file__, heading):
        yield protocol, name, list(lines_of(items))


def converse(protocol: str, conversation: Iterable[str]) -> Client | GammonXClient:
    """Hold a conversation; the client after its end."""
    make, line_end = WRONG[protocol]
    client = make()
    for each in conversation:
        if each.startswith("> "):
            client.wrote(each[2:].encode() + line_end)
        else:
            list(client.receive(each.lstrip("< ").encode() + line_end * each.startswith("< ")))
    client.end()
    return client


@pytest.mark.parametrize(
    ("protocol", "why", "conversation"),
    [row for protocol in WRONG for row in conversations(protocol, f"what the client of {protocol} refuses")],
)
def test_wrong_conversation_is_refused(protocol: str, why: str, conversation: list[str]) -> None:
    with pytest.raises(Refused, match=re.escape(why)):
        converse(protocol, conversation)


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(Refused, match="UTF-8"):
        StrategicClient().hear(b"\xff")


CROSSING = list(conversations("Connect Four", "requests that cross what is told"))


@pytest.mark.parametrize(("protocol", "conversation"), [row[::2] for row in CROSSING], ids=[row[1] for row in CROSSING])
def test_requests_that_cross_what_is_told_are_answered(protocol: str, conversation: list[str]) -> None:
    client = converse(protocol, conversation)
    assert isinstance(client, ConnectFourClient)
    assert not client.awaits

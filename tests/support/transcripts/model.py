"""The parts of a transcript after reading."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from attrs import Factory, evolve, frozen
from websockets.frames import Opcode

from gameserver.flow_control.limits import Limits
from gameserver.game import Game
from gameserver.policies import Rules
from tests.support.serving import NO_PAUSE
from tests.support.transcripts.dialects import Dialect, Endpoint, endpoint
from tests.support.transcripts.text import joined, to_bytes
from tests.support.transcripts.websocket import frames


@frozen
class Said:
    """Something that a client hears: a line, or that the server hangs up."""

    text: str
    who: str


@frozen
class Action:
    """Something that happens."""

    text: str
    verb: str
    who: str = ""
    what: str = ""

    @property
    def given(self) -> dict[str, str]:
        """The words after `connects` and `enters`, by their preposition."""
        words = self.what.split()
        return dict(zip(words[::2], words[1::2], strict=True))


@frozen
class Remark:
    """A line that only people read."""

    text: str


Entry = Action | Said | Remark


@frozen
class Settings:
    """The settings in the head of a file."""

    endpoint: Endpoint = Factory(partial(endpoint, "strategic"))
    """The listener of a client that names no other."""
    rules: Rules = NO_PAUSE
    limits: Limits = Factory(Limits)
    options: dict[str, Any] = Factory(dict)
    """Each protocol's own, by its name, where they are not the default."""
    games: tuple[Game[Any], ...] = ()
    house: bool = False
    begins: tuple[str, ...] = ()
    code: tuple[int, ...] = ()
    """The secret code that the server draws in the first match; any code if it is empty."""
    code_colours: int = 0
    roster: tuple[str, ...] = ()
    """A name and a secret in each, with an equals sign between them."""
    tcp_only: bool = False
    """True if it differs in WebSocket messages."""

    def reached(self, action: Action) -> Endpoint:
        """The listener that somebody connects to."""
        to = action.given.get("to")
        return self.endpoint if to is None else endpoint(to)


@frozen
class Transcript:
    """A file, cut into steps: some actions, and what the clients hear then."""

    head: tuple[str, ...]
    settings: Settings
    steps: tuple[tuple[Entry, ...], ...]

    @property
    def text(self) -> str:
        """The file."""
        return joined([*self.head, *(entry.text for step in self.steps for entry in step)])

    @property
    def dialects(self) -> frozenset[Dialect]:
        """The protocols of its clients."""
        return frozenset(dialect for _, dialect in self.spoken())

    def said(self, protocol: str) -> list[str]:
        """Every line of the server to clients of this protocol."""
        entries = [entry for entry, dialect in self.spoken() if dialect.name == protocol]
        return [
            entry.text.partition(" ")[2] for entry in entries if isinstance(entry, Said) and entry.text.startswith("S>")
        ]

    def asked(self, protocol: str) -> list[str]:
        """Every line of clients of this protocol."""
        entries = [entry for entry, dialect in self.spoken() if dialect.name == protocol]
        return [entry.what for entry in entries if isinstance(entry, Action) and entry.verb == "sends"]

    @property
    def over_websocket(self) -> list[str] | None:
        """The messages of those clients whose protocol has WebSockets; None where these would not do."""
        said = []
        reached: dict[str, Endpoint] = {}
        for entry in (entry for step in self.steps for entry in step if isinstance(entry, Action)):
            if entry.verb in {"connects", "enters"}:
                reached[entry.who] = self.settings.reached(entry)
            elif entry.who in reached and reached[entry.who].path is not None:
                if entry.verb == "half-closes" or is_unfinished(entry.what):
                    return None
                said += [entry.what] if entry.verb == "sends" else []
        return said if said and not self.settings.tcp_only else None

    def spoken(self) -> Iterator[tuple[Action | Said, Dialect]]:
        """The actions of clients, the lines they get, and their protocols."""
        dialects: dict[str, Dialect] = {}
        for step in self.steps:
            for entry in step:
                if isinstance(entry, Remark):
                    continue
                if isinstance(entry, Action) and entry.verb in {"connects", "enters"}:
                    dialects[entry.who] = self.settings.reached(entry).dialect
                if entry.who in dialects:
                    yield entry, dialects[entry.who]


def is_unfinished(line: str) -> bool:
    """True if a line is sent without its end."""
    return line.endswith("\\") and not line.endswith("\\\\")


@frozen
class Manner:
    """The ways in which the clients' bytes travel; the conversation must not depend on them."""

    name: str
    line_end: bytes = b"\n"
    bytewise: bool = False
    coalesced: bool = False
    opcode: Opcode | None = None
    """Over WebSocket, in messages of this kind, who can; over TCP who cannot. None: everybody over TCP."""
    fragmented: bool = False
    """True if each byte of a message has its own frame."""

    @property
    def over_tcp(self) -> "Manner":
        """The same for who has no WebSockets."""
        return evolve(self, opcode=None)

    def suits(self, transcript: Transcript) -> bool:
        """True if every client's protocol accepts such line ends, or some accept such WebSocket messages."""
        if self.opcode is not None:
            messages = transcript.over_websocket
            return messages is not None and (self.opcode is Opcode.BINARY or all(map(_is_text, messages)))
        return all(self.line_end in dialect.client_line_ends for dialect in transcript.dialects)

    def packets(self, actions: Sequence[Action]) -> list[bytes]:
        """The bytes to send, in chunks."""
        lines = [self.sent(action.what) for action in actions]
        if self.bytewise:
            return [bytes([byte]) for line in lines for byte in line]
        return [b"".join(lines)] if self.coalesced else lines

    def sent(self, text: str) -> bytes:
        """The bytes of one line."""
        if self.opcode is not None:
            return frames(to_bytes(text), self.opcode, fragmented=self.fragmented)
        return to_bytes(text[:-1]) if is_unfinished(text) else to_bytes(text) + self.line_end


def _is_text(line: str) -> bool:
    try:
        to_bytes(line).decode()
    except UnicodeDecodeError:
        return False
    return True


MANNERS = (
    Manner("as written"),
    Manner("byte by byte", bytewise=True),
    Manner("coalesced", coalesced=True),
    Manner("CRLF", b"\r\n"),
    Manner("CRLF byte by byte", b"\r\n", bytewise=True),
    Manner("CR", b"\r"),
    Manner("WebSocket", opcode=Opcode.TEXT),
    Manner("WebSocket coalesced", opcode=Opcode.TEXT, coalesced=True, fragmented=True),
    Manner("WebSocket binary byte by byte", opcode=Opcode.BINARY, bytewise=True),
)

"""The Strategic Game Server text protocol: lines of text, OK / ERR / SVR.

handlers    The commands of a client, before and after its login, and their answers
help_texts  The pages of `help`, `help <command>` and `help <game>`
parsing     lines into what they ask for
profiles    the dialects
rendering   events into lines
session     The state of one connection

The page for its users is `guide.md`.

An adapter joins the parts: `handlers` turns a line into a command and the lobby's answer into a line; `rendering` turns
events into lines.
"""

import re
from collections.abc import Mapping
from functools import lru_cache, partial
from importlib.resources import files
from typing import ClassVar

from gameserver.protocol import Adapter, Context, EntryMode, Peer, Refusal, WireProtocol
from protocols.lines import SEAT_UPDATES, LineAdapter, LineEnds, LineReader, MessagePace
from protocols.strategic import handlers, rendering
from protocols.strategic.parsing import GameNames
from protocols.strategic.profiles import PROFILES
from protocols.strategic.session import StrategicSession, no_latest

__all__ = ["PROTOCOL", "StrategicProtocol"]

_TOO_LONG = b"ERR Payload too large\r\n"


class StrategicAdapter(LineAdapter[StrategicSession]):
    """The adapter of the text protocol: lines of text in, OK, ERR and SVR lines out."""

    LINES = rendering.LINES
    SILENT = rendering.SILENT
    STEPS = rendering.STEPS
    UPDATES = SEAT_UPDATES
    read_line = staticmethod(handlers.read_line)
    answered = staticmethod(handlers.answered)

    def __init__(self, session: StrategicSession, line_bytes_max: int) -> None:
        # The original took LF, CRLF and a lone CR alike and skipped empty lines (util/ByteUtils.java:7-46).
        super().__init__(session, LineReader(line_bytes_max, ends=LineEnds.ANY, telnet=True, too_long=_TOO_LONG))

    def greeting(self) -> bytes:
        """The two banner lines of the text protocol. Nothing else is said before the peer has spoken."""
        return self.session.profile.greeting

    def farewell(self, refusal: Refusal) -> bytes:
        """Writes one last ERR of the text protocol."""
        return rendering.err(refusal.why)


class StrategicProtocol(WireProtocol):
    """The text protocol itself: its name, port, profiles and secrets."""

    name = "strategic"
    title = "Strategic Game Server text protocol"
    # The port of the originals, from 2009 to the New Game Server.
    default_port = 7789
    profiles = tuple(PROFILES)
    scenarios = "protocols.strategic.scenarios"
    guide = files(__name__).joinpath("guide.md").read_text("utf-8")
    secrets = (
        # The secret stands behind the name: the protocol has no other place for it.
        re.compile(rb"(?im)^\s*login\s+\S+\s+([^\r\n]+)"),
        re.compile(rb'OWNPAGE: "[^"]*link=([^"]+)'),
    )
    mishaps: ClassVar[Mapping[str, re.Pattern[bytes]]] = {
        "A line was refused.": re.compile(rb"(?m)^ERR "),
        # The words of COMMENT in all profiles.
        "A match was lost, and not by play.": re.compile(
            rb'(?m)^SVR GAME LOSS .*COMMENT: "(?:Illegal|Invalid|Turn timelimit|Client disconnected)'
        ),
    }
    try_it = "nc {host} {port}, then type: help"

    def __init__(self) -> None:
        self._latest = no_latest()

    def joining(self, game: str, entry: EntryMode, rooms_game: str) -> str:
        """Tells what a text client does to take part in a tournament: it logs in, and subscribes if asked to."""
        match entry:
            case EntryMode.SUBSCRIBED:
                return f"Log in with `login NAME`, then send `subscribe {game}`, and stay connected."
            case EntryMode.ROSTER:
                return "Log in with `login NAME`, by your name on the list, and stay connected."
            case EntryMode.LOGGED_IN:
                return "Log in with `login NAME` and stay connected: matches begin by themselves."

    def adapter(self, peer: Peer, context: Context) -> Adapter:
        """Makes the adapter of a new connection of the text protocol."""
        session = StrategicSession(
            peer=peer,
            profile=PROFILES[context.profile],
            games=_game_names(context.games, tuple(context.aliases.items())),
            guide_of=partial(_guide_of, context),
            pace=MessagePace(),
            last_match_of=context.last_match_of,
            own_page_of=context.own_page_of,
            pages_url=context.pages_url,
            latest=self._latest,
        )
        return StrategicAdapter(session, context.line_bytes_max)


@lru_cache(maxsize=8)
def _game_names(games: tuple[str, ...], aliases: tuple[tuple[str, str], ...]) -> GameNames:
    """One look-up for all connections of a listener."""
    return GameNames(games, dict(aliases))


def _guide_of(context: Context, game: str) -> str:
    """The guide of a game in this profile. Every game has one, except where an original is imitated."""
    profile = PROFILES[context.profile]
    if game in profile.unexplained:
        return ""
    own = context.guides.get(game, "")
    return own or (context.built_guide(game) if not profile.is_imitation else "")


PROTOCOL = StrategicProtocol()

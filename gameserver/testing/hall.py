"""The lobby of the protocol kit. Its decisions are those of the server's own core; its clock is stopped."""

from collections.abc import Sequence
from typing import Any

from attrs import Factory, define, field

from gameserver import protocol as public
from gameserver.core.decide import decide
from gameserver.core.messages.commands import HousePlayer, ServerStarted
from gameserver.core.state.lobby import At, Lobby
from gameserver.core.state.match import Match
from gameserver.game import Game
from gameserver.policies import Rules
from gameserver.protocol import (
    Answer,
    Command,
    Enter,
    Event,
    Query,
)

RULES = Rules(first_move_pause_ms=0, drop_grace_ms=60_000, tickets_share_ids=True)
NOW_MS = 1_000


@define
class Hall:
    """A lobby with a stopped clock, and its connections."""

    games: Sequence[Game[Any]]
    lobby: Lobby = field(init=False)
    members: dict[int, Any] = Factory(dict)
    """By session: connections, and players without any."""

    def __attrs_post_init__(self) -> None:
        self.lobby = Lobby({game.name.lower(): game for game in self.games})
        names = tuple(game.name for game in self.games)
        versions = {game.name: game.version for game in self.games}
        house = (HousePlayer("house-random", names),)
        decision = decide(self.lobby, ServerStarted(1, "5e" * 32, RULES, house, versions), At(NOW_MS, NOW_MS))
        self.lobby.apply(decision.changes)

    def new_session(self) -> int:
        """A session number that was never used."""
        return len(self.members) + 7

    def do(self, asked: Command | Query) -> Answer:
        """Decide a command or query and tell everybody concerned. The sender hears the answer first."""
        decision = decide(self.lobby, asked, At(NOW_MS, NOW_MS))
        self.lobby.apply(decision.changes)
        told: dict[int, list[Event]] = {asked.session: []} if hasattr(asked, "session") else {}
        for session, event in decision.deliveries:
            told.setdefault(session, []).append(event)
        for session, events in told.items():
            if session in self.members:
                is_sender = session == getattr(asked, "session", None)
                self.members[session].hear(decision.answer if is_sender else None, events)
        for session, why in decision.dismissed:
            self.members[session].end(why)
        return decision.answer

    def match_of(self, session: int) -> Match | None:
        """The match that a session plays."""
        player = self.lobby.players.get(self.lobby.sessions.get(session, ""))
        return None if player is None or player.match is None else self.lobby.matches[player.match]


@define(eq=False)
class TextPlayer:
    """The opponent: a player in the lobby who has no connection, and is entered as the text protocol enters one."""

    hall: Hall
    name: str
    session: int = field(init=False)
    heard: list[Event] = Factory(list)

    def __attrs_post_init__(self) -> None:
        self.session = self.hall.new_session()
        self.hall.members[self.session] = self
        capabilities = (public.Capability.CHAT, public.Capability.CHALLENGE)
        self.hall.do(Enter(self.session, self.name, "strategic", "192.0.2.8", capabilities))

    def hear(self, answer: Answer | None, events: Sequence[Event]) -> None:
        """Note what is told."""
        self.heard += events

    def end(self, why: str) -> None:
        """Nothing is at the other end."""

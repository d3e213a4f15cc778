"""Completes commands before they are decided, from the roster, the ratings and the other connections."""

from collections.abc import Callable, Mapping
from functools import partial

import structlog
import trio
from attrs import define, evolve

from gameserver.authentication.roster import PAUSE_S, RosterError, SharedRoster
from gameserver.authentication.secret_queue import SecretQueue
from gameserver.core.commands import Arrive, Book, Conduct, CreateTournament, Enter, Leave
from gameserver.core.identity import Proof
from gameserver.engine.sequencer import Sequencer
from gameserver.flow_control.connection_limiter import ConnectionLimiter
from gameserver.flow_control.fair_scheduler import Timers
from gameserver.protocol import Command, Query, RefusalKind, Work
from gameserver.server.setup import Setup
from gameserver.tournaments.model import RegisterEntrant, StartTournament
from gameserver.transport import liveness
from gameserver.transport.connection import OPEN, Connection

LOOK_EVERY_S = 2.0
"""Seconds between two looks at the roster."""
LOOKED_AT = frozenset({Arrive, Book, Conduct, CreateTournament, Enter})
"""The commands that always come here; the others go to the sequencer as they are."""
# Judgement: as long as a stop waits for its last messages.
_ANSWERED_S = 1.0
"""Seconds that a connection has to end by itself after its last wrong secret was answered."""
_TOO_MANY_WRONG = "Too many wrong secrets came over this connection; ask the teacher for yours, then connect again"

log = structlog.get_logger()


@define(eq=False)
class CommandPreparer:
    """Prepares commands for the sequencer, and hands some of them on later.

    `find` gives the connection of a session.
    """

    _setup: Setup
    _sequencer: Sequencer
    _connection_limiter: ConnectionLimiter
    _find: Callable[[int], Connection | None]
    _probes: liveness.Probes
    _timers: Timers
    _secret_queue: SecretQueue

    def take(self, command: Command | Query, stamp_ms: int, sender: Connection) -> None:
        """Prepare a command of a connection.

        After some wrong secrets of its connection, the next one waits before it is checked.
        """
        if not isinstance(command, Enter | Book):
            self._hand_on(command, stamp_ms, sender)
        elif self._setup.roster.throttle.must_wait(sender.session):
            # Later, and not refused: the owner of the name has to get in beside guessers.
            self._timers.after(PAUSE_S, partial(self._prove, command, stamp_ms, sender))
        else:
            self._prove(command, stamp_ms, sender)

    def _prove(self, command: Enter | Book, stamp_ms: int, sender: Connection) -> None:
        """Have the command's secret wait for its turn, if it is compared with one."""
        name = self._setup.roster.name_to_prove(command)
        if name and sender.stage is OPEN:
            hand_on = partial(self._hand_on, command, stamp_ms, sender)
            # A queue for each name, in turn by address: limited for each connection alone, 300 of them tried 560
            # secrets a second.
            self._secret_queue.ask(name, sender.address, sender.session, hand_on)
        else:
            self._hand_on(command, stamp_ms, sender)

    def _hand_on(self, command: Command | Query, stamp_ms: int, sender: Connection) -> None:
        """Judge a command, add what adapters do not know, and hand it to the sequencer."""
        if sender.stage is not OPEN:
            return
        if isinstance(command, Enter | Book):
            command = self._setup.roster.judged(command)
            if command.proof is Proof.TOO_OFTEN:
                # Most adapters end the connection by themselves, with that answer.
                end = partial(sender.farewell, _TOO_MANY_WRONG, RefusalKind.DISMISSED)
                self._timers.after(_ANSWERED_S, end)
        if isinstance(command, Enter | Arrive):
            self._connection_limiter.doubt_of_request(
                sender
            )  # a WebSocket may follow a request that has proven the player
        if sender.session in self._connection_limiter.doubts and self._is_turned_away(command, sender):
            return
        if isinstance(command, Book):
            command = self._rated(command)
        if isinstance(command, Enter | Arrive | Book):
            if self._must_wait(command, stamp_ms, sender):
                return
        elif isinstance(command, CreateTournament | Conduct):
            command = self._with_teams(command)
        self._sequencer.submit(command, stamp_ms, sender)

    def _with_teams(self, command: CreateTournament | Conduct) -> CreateTournament | Conduct:
        """The command with the teams of the players who enter by it, and at the start with everybody's ratings."""
        if isinstance(command, CreateTournament):
            teams = self._setup.roster.teams()
            return evolve(command, roster=tuple(_in_team(one, teams) for one in command.roster))
        act = command.act
        if isinstance(act, RegisterEntrant):
            return evolve(command, act=_in_team(act, self._setup.roster.teams()))
        if isinstance(act, StartTournament):
            ratings, teams = self._sequencer.seeding(command.tournament), self._setup.roster.teams()
            return evolve(command, act=evolve(act, ratings=ratings, teams=teams))
        return command

    def _admit(self, command: Enter | Arrive | Book, stamp_ms: int, sender: Connection) -> None:
        """Submit the command of a newcomer that had to wait, if it is still connected."""
        if sender.stage is OPEN:
            self._sequencer.submit(command, stamp_ms, sender)

    def may_begin(self, work: Work, sender: Connection) -> bool:
        """True if a connection may begin work before its first command.

        A newcomer in doubt is turned away if it can prove nothing.
        """
        doubt = self._connection_limiter.doubt_of_request(sender)
        if doubt is None or work.may_prove:
            return True
        sender.farewell(doubt, RefusalKind.FULL)
        return False

    def _is_turned_away(self, command: Command | Query, sender: Connection) -> bool:
        """Judge a doubted newcomer by its first command: it stays by a right secret, seat or ticket, or a login."""
        is_proven = isinstance(command, Enter | Book) and command.proof is Proof.PROVEN
        if is_proven or self._sequencer.has_seat_for(command):
            self._connection_limiter.vouch(sender, once=not isinstance(command, Enter | Arrive))
        elif isinstance(command, Enter | Book) and command.proof is not Proof.OPEN:
            pass  # the lobby refuses it in words that say more, and its next command is judged
        # A storm from the address used its rate up, and 19 of 27 classmates without a secret were turned away.
        elif isinstance(command, Enter) and self._connection_limiter.may_log_in(sender, self._known(command)):
            self._connection_limiter.vouch(sender)
        elif not isinstance(command, Leave):
            sender.farewell(self._connection_limiter.doubts[sender.session], RefusalKind.FULL)
            return True
        return False

    def _known(self, command: Enter) -> str:
        """The name, if it is on the roster or has played a rated match; else an empty one."""
        is_known = command.name in self._setup.roster.names() or command.name in self._sequencer.rated_players()
        return command.name if is_known else ""

    def _rated(self, command: Book) -> Book:
        """The booking with the name and the rating of its player, which adapters do not know."""
        # First, as ratings go by names.
        command = self._sequencer.named(command)
        game = self._setup.games.get(command.game.lower())
        return command if game is None else evolve(command, rating=self._sequencer.rating(game.name, command.player))

    def _must_wait(self, command: Enter | Arrive | Book, stamp_ms: int, sender: Connection) -> bool:
        """True if only another connection is in a newcomer's way, and it is not known yet if that one is alive."""
        session, may_wait, knows_secret = self._sequencer.holder_of(command)
        holder = None if session is None else self._find(session)
        if holder is None or holder.stage is not OPEN:
            return False
        # The kernel knows already: nobody has to wait for a probe.
        if liveness.is_dead(holder.sock):
            holder.abort(liveness.DEAD)
            return False
        if not may_wait:
            return False
        admit = partial(self._admit, command, stamp_ms, sender)
        return self._probes.ask(holder, liveness.Newcomer(sender.sock, admit, knows_secret))


def _in_team(act: RegisterEntrant, teams: Mapping[str, str]) -> RegisterEntrant:
    """The entry of a player with the roster's team, if the teacher named none."""
    return evolve(act, team=act.team or teams.get(act.player, ""))


async def watch_roster(roster: SharedRoster | None) -> None:
    """Look every two seconds, in a thread, at a roster that is in the database, by which logins are prepared.

    While the database is away, logins are judged by what was seen last.
    """
    if roster is None:
        return
    is_away = False
    try:
        while True:
            await trio.sleep(LOOK_EVERY_S)
            try:
                await trio.to_thread.run_sync(roster.look, abandon_on_cancel=True)
            except RosterError as error:
                if not is_away:
                    log.warning(
                        "changes of the roster cannot be seen; what was seen last stays in force", why=str(error)
                    )
                is_away = True
            else:
                is_away = False
    finally:
        roster.close()

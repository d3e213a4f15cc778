"""Finds what is wrong right now, for the teacher: pure functions from the lobby's rows, and from who was refused.

GUESSED        many wrong secrets were given for players
ADMIN_GUESSED  many wrong tokens were given to the admin listener
FOREIGN_NAME   requests came under a host name that the server does not know as its own
HELD           a game of a tournament that waits for the teacher's decision
AFTER_RESTART  a game that was lost by an illegal move, the player's first one after a restart of the server; that of
               the last tournament also when it is over
LATE           a player whose last three turns, or last three games of a tournament, were lost to the clock
CUT_OFF        a player whose connection ended in the middle of a match: the seat waits for a while, or the game was
               lost by it and the player is not back
ABSENT         a player who has not come to an announced match, or is here but not ready
LAST_OF_ROUND  the one match that is left of a round, for which everybody else waits
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import islice

from gameserver.core.commands import Capability, EntryMode
from gameserver.core.events import By, EndReason
from gameserver.core.lobby import Player, Room, RoomPhase, Ticket, TournamentRow
from gameserver.core.match import AFTER_RESTART, Cause, Match, SeatHolder
from gameserver.read_model.views import Attack, ForeignName
from gameserver.tournaments import knockout, round_robin
from gameserver.tournaments.history import History
from gameserver.tournaments.knockout import round_names
from gameserver.tournaments.model import UNDER_WAY, Pairing, PairingStatus, Tournament, TournamentPhase, Verdict
from gameserver.tournaments.plan import Format
from gameserver.tournaments.progress import progress
from gameserver.tournaments.stages import parts
from gameserver.values import value

TO_MOVE = "to move"
# By judgement: a person mistypes a secret a few times, a program goes on.
GUESSES_MIN = 10
"""Wrong secrets within an hour that are no slips of the hand any more."""
# By judgement: one or two lost turns may be a slow machine.
_LATE_IN_A_ROW = 3
_NAMES_SHOWN = 3


class TroubleKind(StrEnum):
    """The kinds of trouble that a teacher is told of, the most urgent first."""

    GUESSED = "guessed"
    ADMIN_GUESSED = "admin guessed"
    FOREIGN_NAME = "foreign name"
    HELD = "held"
    AFTER_RESTART = "after a restart"
    LATE = "late"
    CUT_OFF = "cut off"
    ABSENT = "absent"
    LAST_OF_ROUND = "last of the round"


_OF_A_GAME = (TroubleKind.HELD, TroubleKind.AFTER_RESTART)
"""Kinds of which a player may have several, each about another game."""


@value
class Trouble:
    """A trouble: something that a teacher should look at now."""

    kind: TroubleKind
    players: tuple[str, ...]
    """The players whom it is about; of `HELD` and `LAST_OF_ROUND` both."""
    why: str = ""
    tournament: int | None = None
    title: str = ""
    """The tournament's name."""
    phase: str = ""
    """The tournament's phase: it decides which acts are possible."""
    pairing: int | None = None
    match: int | None = None
    round: int = 0
    round_name: str = ""
    """The name of the round in a bracket, such as `Semi-final`."""
    until_ms: int | None = None
    """The time at which the trouble ends by itself, on the server's axis: a loss, or the turn of a player."""


class Presence(StrEnum):
    """The whereabouts of a tournament's player, by which troubles are found."""

    PLAYING = "playing"
    """In a match of this tournament."""
    ELSEWHERE = "in another match"
    RESTING = "having a break"
    """In the plan's pause between two matches."""
    READY = "ready"
    NOT_READY = "not ready"
    """Connected, but its client does not ask to play: it has not started in its room, or has no ticket."""
    AWAY = "not here"


_MISSING = (Presence.AWAY, Presence.NOT_READY)
_CANNOT_PLAY = (Presence.AWAY, Presence.NOT_READY, Presence.ELSEWHERE)


@value
class EntrantPresence:
    """A player of a tournament and their whereabouts. Players who are out and house players have none."""

    player: str
    presence: Presence
    match: int | None = None
    """The match in which the player has a seat, whether they are here or away."""


@value
class LobbyRows:
    """The rows of the lobby that tell where a tournament's players are."""

    players: Mapping[str, Player]
    rooms: Mapping[int, Room]
    tickets: tuple[Ticket, ...]
    room_game: str
    now_ms: int


@value
class Hold:
    """The player whom a match of a tournament waits for, and since when, on the server's axis."""

    player: str
    since_ms: int
    why: str
    """`to move`, or in the words of `Presence` where the player is."""

    def ages(self, now_ms: int) -> dict[str, object]:
        """The player whom a match waits for in terms of JSON, with the time since instead of the time."""
        return {"player": self.player, "for_ms": max(0, now_ms - self.since_ms), "why": self.why}


@value
class WaitingView:
    """The players for whom a whole tournament waits: one, or the two of the last match of a round."""

    players: tuple[str, ...]
    since_ms: int
    """The time since which they are waited for, on the server's axis."""
    why: str = ""
    """The `why` of the one player's `Hold`; empty if there are two, or if only the games of one player are left."""
    hold: Hold | None = None
    """The one of two players whom their match waits for, if it is one."""

    def ages(self, now_ms: int) -> dict[str, object]:
        """The players for whom a tournament waits in terms of JSON, with times since instead of times."""
        hold = self.hold
        return {
            "players": self.players,
            "for_ms": max(0, now_ms - self.since_ms),
            "why": self.why,
            "hold": None if hold is None else hold.ages(now_ms),
        }


_CUT_OFF: Mapping[Cause, str] = {
    Cause.DROP: "the connection ended",
    Cause.RESTART: "not back since the server was started again",
    Cause.FAULT: "a bug of the server, or of a plug-in, ended the connection",
}
"""A player who has come in by another connection is on the way to the seat, and is not cut off."""


def troubles(
    matches: Mapping[int, Match], tournaments: Iterable[TournamentRow], lobby: Callable[[], LobbyRows]
) -> tuple[Trouble, ...]:
    """Find the troubles in matches and tournaments; empty if nothing is wrong.

    `lobby` is asked for only if somebody may be missing.
    """
    known = list(tournaments)
    rows = [row for row in known if row.state.phase in UNDER_WAY]
    found = [*_in_matches(matches, rows)]
    for row in rows:
        found += _in_tournament(row, matches, lobby)
    for row in [row for row in known if row.state.plan.event][-1:]:
        if row.state.phase is TournamentPhase.OVER:  # it may be over by this very game, if that was the final
            found += _after_restart(row)
    kinds = list(TroubleKind)
    once: dict[object, Trouble] = {}
    for one in found:
        # A player who is late in a match was late in the games before it, too.
        game = one.pairing if one.kind in _OF_A_GAME else None
        # Keyed by tournament, too: without it only one page told of a player missing in two, and the other said that
        # all was well.
        once.setdefault((one.kind, one.players, one.tournament, game), one)
    return tuple(sorted(once.values(), key=lambda one: kinds.index(one.kind)))


def refusals(attacks: Sequence[Attack], foreign_names: Sequence[ForeignName]) -> tuple[Trouble, ...]:
    """Find the troubles with refused peers, one for each kind: guessed secrets, foreign host names.

    `attacks` come the most tried first.
    """
    found = []
    guessed = [one for one in attacks if one.tries >= GUESSES_MIN]
    named = [one for one in guessed if one.name]
    if named:
        rest = f"and {len(named) - _NAMES_SHOWN} more " if len(named) > _NAMES_SHOWN else ""
        names = tuple(one.name for one in named[:_NAMES_SHOWN])
        were = "was" if len(named) == 1 else "were"
        found.append(Trouble(TroubleKind.GUESSED, names, f"{rest}{were} tried with {_count_of(named, 'secrets')}"))
    if len(named) < len(guessed):
        tokens = [one for one in guessed if not one.name]
        found.append(Trouble(TroubleKind.ADMIN_GUESSED, (), _count_of(tokens, "tokens")))
    if foreign_names:
        *others, latest = foreign_names
        more = f" (and {len(others)} more)" if others else ""
        why = f"{latest.host}{more}; if it is a name of this server, add it to {latest.setting}"
        found.append(Trouble(TroubleKind.FOREIGN_NAME, (), why))
    return tuple(found)


def _count_of(attacks: Sequence[Attack], what: str) -> str:
    addresses = list(dict.fromkeys(address for one in attacks for address in reversed(one.addresses)))
    more = f" and {len(addresses) - 1} more" if len(addresses) > 1 else ""
    return f"{sum(one.tries for one in attacks)} wrong {what}, from {addresses[0]}{more}"


def _in_matches(matches: Mapping[int, Match], rows: Iterable[TournamentRow]) -> Iterator[Trouble]:
    by_number = {row.number: row for row in rows}
    for match in matches.values():
        scheduled = match.scheduled
        row = None if scheduled is None else by_number.get(scheduled.tournament)
        pairing = None if scheduled is None or row is None else row.state.pairings[scheduled.pairing - 1]
        for seat, holder in enumerate(match.seats):
            if _is_overtaken(match, seat):
                why = f"the server made the last {_LATE_IN_A_ROW} moves in the player's place"
                yield _about(row, TroubleKind.LATE, (holder.player,), why, pairing, match=match.id)
            if holder.absence is not None and holder.absence.cause in _CUT_OFF:
                yield _about(
                    row,
                    TroubleKind.CUT_OFF,
                    (holder.player,),
                    _cut_off_words(holder),
                    pairing,
                    match=match.id,
                    until_ms=holder.absence.return_by_ms,
                )


def _is_overtaken(match: Match, seat: int) -> bool:
    """True if the server moved for this seat in each of its last turns."""
    moves = (move for game in reversed(match.games) for move in reversed(game.moves))
    latest = list(islice((move.by for move in moves if move.seat == seat), _LATE_IN_A_ROW))
    return latest == [By.SERVER] * _LATE_IN_A_ROW


def _cut_off_words(holder: SeatHolder) -> str:
    absence = holder.absence
    assert absence is not None, "the seat is empty"
    words = _CUT_OFF[absence.cause]
    return f"{words}: {absence.why}" if absence.why and absence.why != words else words


def _in_tournament(
    row: TournamentRow, matches: Mapping[int, Match], lobby: Callable[[], LobbyRows]
) -> Iterator[Trouble]:
    for pairing in row.state.held:
        yield _about(row, TroubleKind.HELD, pairing.seats, pairing.reason, pairing)
    yield from _after_restart(row)
    for name in _late_in_games(row):
        why = f"the last {_LATE_IN_A_ROW} games were lost on time"
        yield _about(row, TroubleKind.LATE, (name,), why, None)
    absent: list[Trouble] = []
    if row.state.phase is TournamentPhase.RUNNING:
        absent = list(_absent(row, lobby))
        yield from absent
        yield from _last_of_round(row, matches)
    waited_for = {one.players for one in absent}
    yield from (one for one in _not_back(row, lobby) if one.players not in waited_for)


def _after_restart(row: TournamentRow) -> Iterator[Trouble]:
    """The games that the teacher may have played again; in an arena nothing is."""
    if row.state.plan.format is Format.ARENA:
        return
    for pairing in row.state.pairings:
        loser = _loser_by(EndReason.ILLEGAL, pairing)
        if loser is not None and pairing.reason.startswith(f"{EndReason.ILLEGAL}: {AFTER_RESTART}"):
            yield _about(row, TroubleKind.AFTER_RESTART, (loser,), AFTER_RESTART, pairing, match=pairing.match)


def _late_in_games(row: TournamentRow) -> Iterator[str]:
    """The players who lost each of their last games on time."""
    left = {one.name: _LATE_IN_A_ROW for one in row.state.active if not one.house}
    for pairing in reversed(row.state.pairings):
        if not left:
            return
        if pairing.status is not PairingStatus.DONE:
            continue
        late = _loser_by(EndReason.LATE, pairing)
        for name in pairing.seats:
            if name in left:
                left[name] -= 1
                if name != late:
                    del left[name]
                elif left[name] == 0:
                    yield name
                    del left[name]


def _loser_by(reason: EndReason, pairing: Pairing) -> str | None:
    """The player who lost this game for this reason, if it was lost so."""
    is_so = pairing.reason == reason or pairing.reason.startswith(f"{reason}: ")
    if not is_so or pairing.verdict not in (Verdict.FIRST, Verdict.SECOND):
        return None
    return pairing.seats[1 if pairing.verdict is Verdict.FIRST else 0]


def _not_back(row: TournamentRow, lobby: Callable[[], LobbyRows]) -> Iterator[Trouble]:
    """The players who lost their last game with their connection, and have not come back since."""
    left = {one.name for one in row.state.active if not one.house}
    dropped: dict[str, Pairing] = {}
    for pairing in reversed(row.state.pairings):
        if not left:
            break
        if pairing.status is PairingStatus.DONE:
            loser = _loser_by(EndReason.DROPPED, pairing)
            if loser in left:
                dropped[loser] = pairing
            left.difference_update(pairing.seats)
    if not dropped:
        return
    for one in presences(row, lobby()):
        if one.presence is Presence.AWAY and one.match is None and one.player in dropped:
            pairing = dropped[one.player]
            why = f"the connection ended, game {pairing.number} was lost by it, and the client is not back"
            yield _about(row, TroubleKind.CUT_OFF, (one.player,), why, pairing, match=pairing.match)


def _absent(row: TournamentRow, lobby: Callable[[], LobbyRows]) -> Iterator[Trouble]:
    announced = [row.state.pairings[number - 1] for number in row.waits]
    announced = [pairing for pairing in announced if pairing.status is PairingStatus.ANNOUNCED]
    if not announced:
        return
    places = {one.player: one.presence for one in presences(row, lobby())}
    for pairing in announced:
        for name in pairing.seats:
            place = places.get(name)
            if place in _MISSING:
                yield _about(row, TroubleKind.ABSENT, (name,), place.value, pairing, until_ms=row.waits[pairing.number])


def _last_of_round(row: TournamentRow, matches: Mapping[int, Match]) -> Iterator[Trouble]:
    plan = parts(row.state)[0].state.plan
    if not (plan.has_rounds or plan.is_bracket):
        return
    still_open = row.state.open
    if len({(one.round, one.board) for one in still_open}) != 1:
        return
    last = next((one for one in still_open if one.status is PairingStatus.PLAYING), None)
    boards = {one.board for one in row.state.pairings if one.round == still_open[0].round}
    match = None if last is None else matches.get(last.match or 0)
    if last is None or match is None or len(boards) == 1:
        return
    names = " and ".join(match.seats[seat].player for seat in match.awaited_seats)
    why = f"{names} to move" if names else ""
    yield _about(row, TroubleKind.LAST_OF_ROUND, last.seats, why, last, match=match.id, until_ms=match.deadline_ms)


def _about(
    row: TournamentRow | None,
    kind: TroubleKind,
    players: tuple[str, ...],
    why: str,
    pairing: Pairing | None,
    *,
    match: int | None = None,
    until_ms: int | None = None,
) -> Trouble:
    """A trouble, in a tournament or outside of one."""
    names = {} if row is None or pairing is None else round_names(row.state)
    return Trouble(
        kind=kind,
        players=players,
        why=why,
        tournament=None if row is None else row.number,
        title="" if row is None else row.name,
        phase="" if row is None else row.state.phase.value,
        pairing=None if pairing is None else pairing.number,
        match=match,
        round=0 if pairing is None else pairing.round,
        round_name="" if pairing is None else names.get((pairing.round, pairing.board), ""),
        until_ms=until_ms,
    )


def waiting_for(row: TournamentRow, matches: Mapping[int, Match], lobby: Callable[[], LobbyRows]) -> WaitingView | None:
    """Finds a trouble of a whole tournament: the players for whom it waits now; None if there is no bottleneck.

    `lobby` is rarely asked for.

        X is late, not here, or on the move in the only match left       waiting for X
        every game that is left is one of X's                            waiting for X
        the last match of a round, for which others wait                 waiting for X and Y, with the player to move
        nothing goes on before a game is decided                         waiting for the teacher

    Nobody is waited for while two games without a common player are open. An arena waits for nobody.
    """
    state = row.state
    going_on = state.phase in (TournamentPhase.RUNNING, TournamentPhase.FINISHING)
    if not going_on or state.plan.format is Format.ARENA:
        return None
    pairings = state.keeping
    common = _common([pairing.seats for pairing in pairings])
    if not common:
        return None
    # In the moment before the next game of an encounter is announced, the other match looked like the last of its
    # round.
    due = _due(state)
    common = [name for name in common if all(name in seats for seats in due)]
    if not common:
        return None
    pairing = next((one for one in pairings if one.status is PairingStatus.PLAYING), pairings[0])
    since_ms, holds = _holds(row, pairing, matches, lobby)
    holds = [one for one in holds if not state.is_house(one.player)]
    if len(common) == 1:
        return _for_one(state, common[0], since_ms, holds)
    others_wait = _others_wait(state, pairing.seats)
    if len(holds) == 1 and (holds[0].why != TO_MOVE or not others_wait):
        return WaitingView((holds[0].player,), holds[0].since_ms, holds[0].why)
    if others_wait:
        people = tuple(name for name in pairing.seats if not state.is_house(name))
        return WaitingView(people or pairing.seats, since_ms, hold=holds[0] if len(holds) == 1 else None)
    return None


def awaits_teacher(row: TournamentRow) -> bool:
    """True if a whole tournament is in trouble right now: nothing goes on until the teacher has decided a game."""
    state = row.state
    # Looked at before `_due`, which takes 2 ms with 60 players, on the event loop for every rendering of the page.
    if not state.held or state.keeping:
        return False
    if state.phase is TournamentPhase.RUNNING:
        return state.plan.format is not Format.ARENA and not _due(state)
    return state.phase is TournamentPhase.FINISHING


def _for_one(state: Tournament, player: str, since_ms: int, holds: list[Hold]) -> WaitingView | None:
    """Everything that is left involves this player. A house player plays all of it at once."""
    if state.is_house(player):
        return None
    own = next((one for one in holds if one.player == player and one.why != TO_MOVE), None)
    return WaitingView((player,), since_ms) if own is None else WaitingView((player,), own.since_ms, own.why)


def _common(games: Sequence[tuple[str, str]]) -> list[str]:
    """The players who are in all of these."""
    return [name for name in (games[0] if games else ()) if all(name in seats for seats in games)]


def _due(state: Tournament) -> list[tuple[str, str]]:
    """The players of encounters that go on without waiting for others, but have no game open at this moment."""
    if state.phase is TournamentPhase.FINISHING:
        return []
    if state.has_parts:
        return [seats for part in parts(state) for seats in _due(part.state)]
    plan, history = state.plan, History.of(state)
    if plan.is_bracket:
        between = [now for now in knockout.nodes_now(history) if not any(game.is_open for game in now.games)]
        return [(now.players[0] or "", now.players[1] or "") for now in between if now.is_playable]
    if plan.has_fixtures:
        due = round_robin.due_games(history)
        return [one.players for one in due if not plan.has_rounds or one.fixture.place[0] <= state.round]
    return [
        games[-1].seats
        for (number, _), found in history.encounters.items()
        if number == state.round
        and len(games := list(found.values())) < plan.games
        and not (games[-1].walkover or games[-1].is_open)
    ]


def _others_wait(state: Tournament, seats: tuple[str, str]) -> bool:
    """True if there are others than these two, and more to come than what is being played."""
    if state.phase is TournamentPhase.FINISHING:
        return True
    idle = any(not entrant.house and entrant.name not in seats for entrant in state.active)
    return idle and bool(progress(state).left)


def _holds(
    row: TournamentRow, pairing: Pairing, matches: Mapping[int, Match], lobby: Callable[[], LobbyRows]
) -> tuple[int, list[Hold]]:
    """The time since which the game is open, and the players whom it waits for now."""
    match = matches.get(pairing.match or 0) if pairing.status is PairingStatus.PLAYING else None
    if match is not None:
        holders = [match.seats[seat] for seat in match.awaited_seats]
        away = Presence.AWAY.value
        return match.opened_ms, [
            Hold(one.player, match.turn_started_ms, TO_MOVE if one.is_present else away) for one in holders
        ]
    announced_ms = row.waits.get(pairing.number, lobby().now_ms) - row.state.plan.no_show_ms
    missing = [one for one in presences(row, lobby()) if one.player in pairing.seats and one.presence in _CANNOT_PLAY]
    return announced_ms, [Hold(one.player, announced_ms, one.presence.value) for one in missing]


def presences(row: TournamentRow, lobby: LobbyRows) -> tuple[EntrantPresence, ...]:
    """Finds where every player in a tournament is right now, to tell of troubles; in the order of the numbers."""
    at_play: Mapping[str, int | None] = {
        name: pairing.match
        for pairing in row.state.keeping
        if pairing.status is PairingStatus.PLAYING
        for name in pairing.seats
    }
    return tuple(_presence(row, one.name, at_play, lobby) for one in row.state.active if not one.house)


@value
class Gathering:
    """The players of a tournament that has not begun, for finding out before the start who would be in trouble."""

    ready: tuple[str, ...] = ()
    """The players who would be paired if it began now, in the order in which they came; then those of the house."""
    unready: tuple[str, ...] = ()
    """Players who are here, but are not in it, or could not be paired as things are."""
    missing: tuple[str, ...] = ()
    """Players who were entered by name and are not here, by name."""


def gathering(row: TournamentRow, lobby: LobbyRows) -> Gathering:
    """Finds who is here for a tournament that has not begun. `core.organizer` lets players in by the same rule."""
    ready, unready = [], []
    for player in lobby.players.values():
        entrant = row.state.entrant(player.name)
        is_in = entrant is not None and not entrant.is_out
        is_callable = Capability.CHALLENGE in player.capabilities
        if not is_in and row.entry is not EntryMode.ROSTER:
            # Whoever waits in a room, or with a ticket, looks for the game by that.
            is_in = not is_callable or row.entry is EntryMode.LOGGED_IN or player.seek == row.state.plan.game
        # In a room nobody is ready for a tournament (`KEPT`) before it begins, but may have started by then.
        room = lobby.rooms.get(player.room or 0) if lobby.room_game.lower() == row.state.plan.game.lower() else None
        place = None if room is None else room.place_of(player.name)
        is_ready = _is_ready(player, row.state.plan.game, lobby) or (place is not None and place.is_ready)
        if is_in and (player.match is not None or is_ready):
            ready.append(player.name)
        elif player.capabilities:  # without any a client can be in no tournament
            unready.append(player.name)
    people = [one.name for one in row.state.active if not one.house]
    missing = sorted((name for name in people if name not in lobby.players), key=str.casefold)
    house = (one.name for one in row.state.active if one.house)
    return Gathering((*ready, *house), tuple(unready), tuple(missing))


def missing_players(row: TournamentRow, lobby: LobbyRows) -> frozenset[str]:
    """Finds trouble ahead: who will miss the next match as things are, away or not ready since missing the last."""
    missed: set[str] = set()
    for pairing in row.state.pairings:
        if pairing.status is PairingStatus.DONE:
            missed.difference_update(pairing.seats)
            missed.update(pairing.absent)
    return frozenset(
        one.player
        for one in presences(row, lobby)
        if (one.presence is Presence.AWAY and one.match is None)
        or (one.presence is Presence.NOT_READY and one.player in missed)
    )


def _presence(row: TournamentRow, name: str, at_play: Mapping[str, int | None], lobby: LobbyRows) -> EntrantPresence:
    player = lobby.players.get(name)
    if player is None:
        return EntrantPresence(name, Presence.AWAY, at_play.get(name))
    if player.match is not None:
        place = Presence.PLAYING if at_play.get(name) == player.match else Presence.ELSEWHERE
        return EntrantPresence(name, place, player.match)
    if row.rests.get(name, 0) > lobby.now_ms:
        return EntrantPresence(name, Presence.RESTING)
    is_ready = _is_ready(player, row.state.plan.game, lobby)
    return EntrantPresence(name, Presence.READY if is_ready else Presence.NOT_READY)


def _is_ready(player: Player, game: str, lobby: LobbyRows) -> bool:
    """True if this player's protocol lets a match begin now. `core.organizer.is_free` decides by the same rule."""
    if Capability.CHALLENGE in player.capabilities:
        return True
    if player.sits:
        room = None if player.room is None else lobby.rooms.get(player.room)
        return room is not None and room.phase is RoomPhase.KEPT and lobby.room_game.lower() == game.lower()
    ticket = next((one for one in lobby.tickets if one.session == player.session), None)
    if ticket is None or ticket.partner is not None:
        return False
    return ticket.booked.open_to_queue and ticket.booked.game == game

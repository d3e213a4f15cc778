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

from gameserver.core.events import By, EndReason
from gameserver.core.lobby import TournamentRow
from gameserver.core.match import AFTER_RESTART, Cause, Match, SeatHolder
from gameserver.read_model.presence import Hall, Presence, presences
from gameserver.read_model.views import Attack, ForeignName
from gameserver.tournaments.knockout import stages
from gameserver.tournaments.model import UNDER_WAY, Pairing, PairingStatus, TournamentPhase, Verdict
from gameserver.tournaments.plan import Format
from gameserver.values import value

LATE_IN_A_ROW = 3
GUESSES_MIN = 10
"""Wrong secrets within an hour that are no slips of the hand any more."""
NAMES_SHOWN = 3
_MISSING = (Presence.AWAY, Presence.NOT_READY)


class TroubleKind(StrEnum):
    """The kinds of trouble, the most urgent first."""

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
    """Something that a teacher should look at now."""

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
    stage: str = ""
    """The name of the round in a bracket, such as `Semi-final`."""
    until_ms: int | None = None
    """The time at which the trouble ends by itself, on the server's axis: a loss, or the turn of a player."""


def troubles(
    matches: Mapping[int, Match], tournaments: Iterable[TournamentRow], hall: Callable[[], Hall]
) -> tuple[Trouble, ...]:
    """Everything that is wrong; empty if nothing is. `hall` is asked for only if somebody may be missing."""
    known = list(tournaments)
    rows = [row for row in known if row.state.phase in UNDER_WAY]
    found = [*_in_matches(matches, rows)]
    for row in rows:
        found += _in_tournament(row, matches, hall)
    for row in [row for row in known if row.state.plan.event][-1:]:
        if row.state.phase is TournamentPhase.OVER:  # it may be over by this very game, if that was the final
            found += _after_restart(row)
    kinds = list(TroubleKind)
    once: dict[object, Trouble] = {}
    for one in found:
        # A player who is late in a match was late in the games before it, too.
        game = one.pairing if one.kind in _OF_A_GAME else None
        once.setdefault((one.kind, one.players, one.tournament, game), one)
    return tuple(sorted(once.values(), key=lambda one: kinds.index(one.kind)))


def refusals(attacks: Sequence[Attack], foreign_names: Sequence[ForeignName]) -> tuple[Trouble, ...]:
    """The refusals that a teacher should know of, one for each kind. `attacks` come the most tried first."""
    found = []
    guessed = [one for one in attacks if one.tries >= GUESSES_MIN]
    named = [one for one in guessed if one.name]
    if named:
        rest = f"and {len(named) - NAMES_SHOWN} more " if len(named) > NAMES_SHOWN else ""
        names = tuple(one.name for one in named[:NAMES_SHOWN])
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
                why = f"the server made the last {LATE_IN_A_ROW} moves in the player's place"
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
    count = 0
    for game in reversed(match.games):
        for move in reversed(game.moves):
            if move.seat == seat:
                if move.by is not By.SERVER:
                    return False
                count += 1
                if count == LATE_IN_A_ROW:
                    return True
    return False


_CUT_OFF: Mapping[Cause, str] = {
    Cause.DROP: "the connection ended",
    Cause.RESTART: "not back since the server was started again",
    Cause.FAULT: "a bug of the server, or of a plug-in, ended the connection",
}
"""A player who has come in by another connection is on the way to the seat, and is not cut off."""


def _cut_off_words(holder: SeatHolder) -> str:
    absence = holder.absence
    assert absence is not None, "the seat is empty"
    words = _CUT_OFF[absence.cause]
    return f"{words}: {absence.why}" if absence.why and absence.why != words else words


def _in_tournament(row: TournamentRow, matches: Mapping[int, Match], hall: Callable[[], Hall]) -> Iterator[Trouble]:
    for pairing in row.state.held:
        yield _about(row, TroubleKind.HELD, pairing.seats, pairing.reason, pairing)
    yield from _after_restart(row)
    for name in _late_in_games(row):
        why = f"the last {LATE_IN_A_ROW} games were lost on time"
        yield _about(row, TroubleKind.LATE, (name,), why, None)
    absent: list[Trouble] = []
    if row.state.phase is TournamentPhase.RUNNING:
        absent = list(_absent(row, hall))
        yield from absent
        yield from _last_of_round(row, matches)
    waited_for = {one.players for one in absent}
    yield from (one for one in _not_back(row, hall) if one.players not in waited_for)


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
    left = {one.name: LATE_IN_A_ROW for one in row.state.active if not one.house}
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


def _not_back(row: TournamentRow, hall: Callable[[], Hall]) -> Iterator[Trouble]:
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
    for one in presences(row, hall()):
        if one.presence is Presence.AWAY and one.match is None and one.player in dropped:
            pairing = dropped[one.player]
            why = f"the connection ended, game {pairing.number} was lost by it, and the client is not back"
            yield _about(row, TroubleKind.CUT_OFF, (one.player,), why, pairing, match=pairing.match)


def _absent(row: TournamentRow, hall: Callable[[], Hall]) -> Iterator[Trouble]:
    announced = [row.state.pairings[number - 1] for number in row.waits]
    announced = [pairing for pairing in announced if pairing.status is PairingStatus.ANNOUNCED]
    if not announced:
        return
    places = {one.player: one.presence for one in presences(row, hall())}
    for pairing in announced:
        for name in pairing.seats:
            place = places.get(name)
            if place in _MISSING:
                yield _about(row, TroubleKind.ABSENT, (name,), place.value, pairing, until_ms=row.waits[pairing.number])


def _last_of_round(row: TournamentRow, matches: Mapping[int, Match]) -> Iterator[Trouble]:
    if not (row.state.plan.has_rounds or row.state.plan.is_bracket):
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
    yield _about(
        row, TroubleKind.LAST_OF_ROUND, last.seats, why, last, match=match.id, until_ms=match.clock.deadline_ms
    )


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
        stage="" if row is None or pairing is None else stages(row.state).get((pairing.round, pairing.board), ""),
        until_ms=until_ms,
    )

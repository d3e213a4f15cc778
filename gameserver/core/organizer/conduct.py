"""Carries out what comes to tournaments from outside: creation, a teacher's acts, pairings, and time-outs.

The pure `gameserver.tournaments` judges everything; a refusal comes back as a sentence. Acts that only the lobby can
know of (a match began, a result came) are refused as commands.
"""

from collections.abc import Callable, Iterator
from typing import Any

import attrs

from gameserver.core.matches import referee
from gameserver.core.matches.match_end import void_match
from gameserver.core.matchmaking import room_places
from gameserver.core.messages.capabilities import Capability
from gameserver.core.messages.commands import Conduct, CreateTournament, RestoreTournament, TournamentTimeUp
from gameserver.core.messages.events import Accepted, Answer, Rejected, TournamentCreated
from gameserver.core.messages.rejections import Code
from gameserver.core.messages.tournament_commands import EntryMode
from gameserver.core.organizer import availability, scheduling
from gameserver.core.state.draft import Draft
from gameserver.core.state.follow_ups import PlayerAvailable
from gameserver.core.state.lobby import Player
from gameserver.core.state.tournament import TournamentRow
from gameserver.game import Game
from gameserver.tournaments.act_table import apply, spec_of
from gameserver.tournaments.model import (
    ActRefused,
    Cancel,
    EndByTime,
    NoShow,
    Pairing,
    PairingStatus,
    RegisterEntrant,
    Resume,
    Ruling,
    StartTournament,
    Tournament,
    TournamentPhase,
    VoidPairing,
)
from gameserver.tournaments.plan import Format

KEPT_MAX = 10
"""Events that stay in the lobby when they are over. An act upon an older one restores it from the records."""
MATCHES_KEPT_MAX = 3
"""The same for matches of two for practice, which nobody looks for in a list."""


def create(draft: Draft, command: CreateTournament) -> Answer:
    """Announce a tournament."""
    plan = command.plan
    game = draft.game_named(plan.game)
    if game is None:
        return Rejected(Code.UNKNOWN_GAME, {"game": plan.game})
    if any(row.name == plan.name and not row.is_over for row in draft.tournaments.values()):
        return _refused(f"there is a tournament {plan.name!r} that is not over; choose another name")
    if plan.stand_in and not _is_house_player(draft, plan.stand_in, game):
        return _refused(f"{plan.stand_in!r} cannot stand in: it is no house player that plays {game.name}")
    # A player knows draws that were hidden from them once the seats change.
    same_chance = plan.same_chance and not referee.hides_draws(game)
    number = draft.server.next_tournament
    state = Tournament(plan.changed(game=game.name, same_chance=same_chance), command.seed)
    if command.why:
        state = state.ruled(Ruling("created", command.by, command.why))
    try:
        for enter in command.roster:
            state = apply(state, _judged(draft, game, enter))
    except ActRefused as refused:
        return _refused(str(refused))
    draft.server = attrs.evolve(draft.server, next_tournament=number + 1)
    scheduling.put_tournament(draft, TournamentRow(number, state, command.entry, draft.at.wall_ms))
    _forget_oldest(draft)
    return TournamentCreated(number)


def restore(draft: Draft, command: RestoreTournament) -> Answer:
    """Take a tournament that is over back from the records."""
    number, state = command.tournament, command.state
    if draft.tournaments.get(number) is not None:
        return Accepted()
    row = TournamentRow(
        number, state, command.entry, command.created_wall_ms, command.started_wall_ms, command.ended_wall_ms
    )
    if number >= draft.server.next_tournament or not row.is_over:
        return Rejected(Code.UNKNOWN_TOURNAMENT, {"tournament": str(number)})
    scheduling.put_tournament(draft, row)
    _forget_oldest(draft)
    return Accepted()


def _forget_oldest(draft: Draft) -> None:
    """Leave those to the records that have been in the lobby longest and are over."""
    for is_event, kept_max in ((True, KEPT_MAX), (False, MATCHES_KEPT_MAX)):
        rows = [row for row in draft.tournaments.values() if row.state.plan.event is is_event]
        over = [row.number for row in rows if row.is_over]
        for old in over[: max(0, len(over) - kept_max)]:
            del draft.tournaments[old]


def conduct(draft: Draft, command: Conduct) -> Answer:
    """Carry out an act."""
    row = draft.tournaments.get(command.tournament)
    if row is None:
        return Rejected(Code.UNKNOWN_TOURNAMENT, {"tournament": str(command.tournament)})
    act: Any = command.act
    if spec_of(act).is_lobbys_own:
        return _refused("matches begin, end and run out of time by themselves; void or correct a result instead")
    if hasattr(act, "now_ms"):
        act = attrs.evolve(act, now_ms=draft.at.now_ms)
    if isinstance(act, Resume) and row.state.phase is TournamentPhase.CANCELLED and _is_named_by_another(draft, row):
        return _refused(f"there is another tournament {row.name!r} that is not over; cancel or finish that one first")
    try:
        if isinstance(act, RegisterEntrant):
            act = _judged(draft, _game_of(draft, row), act)
        if isinstance(act, StartTournament):
            row = attrs.evolve(row, state=_with_those_here(draft, row))
        scheduling.done(draft, row, act)
    except ActRefused as refused:
        return _refused(str(refused))
    if isinstance(act, VoidPairing):
        _end_matches(draft, row, f"voided by {act.by}: {act.why}", act.pairing)
    elif isinstance(act, Cancel):
        _end_matches(draft, row, "the tournament was cancelled")
    return Accepted()


def time_up(draft: Draft, command: TournamentTimeUp) -> Answer:
    """Carry out what is due: the end of an arena, a no-show, the end of a player's rest."""
    row, now_ms = draft.tournaments.get(command.tournament), draft.at.now_ms
    if row is None or row.due_ms is None or row.due_ms > now_ms:
        return Rejected(Code.STALE)
    if row.state.ends_ms is not None and row.state.ends_ms <= now_ms:
        row = scheduling.done(draft, row, EndByTime(now_ms))
    for number in [number for number, due_ms in row.waits.items() if due_ms <= now_ms]:
        pairing = row.state.pairings[number - 1]
        if row.state.phase is TournamentPhase.RUNNING and pairing.status is PairingStatus.ANNOUNCED:
            row = _waited_in_vain(draft, row, pairing)
    scheduling.put_tournament(draft, row)
    return Accepted()


def welcome(draft: Draft, available: PlayerAvailable) -> None:
    """Handle a player who may be free: let them into open arenas, and have their tournaments looked at."""
    player = draft.players.get(available.player)
    if player is not None:
        _open_entries(draft, player)
    scheduling.call(draft, (available.player,))


def _open_entries(draft: Draft, player: Player) -> None:
    """Register a player in the arenas that are open to everybody here."""
    for row in list(draft.tournaments.values()):
        plan = row.state.plan
        if row.state.phase is not TournamentPhase.RUNNING or plan.format is not Format.ARENA or not plan.late_entry:
            continue
        if row.entry is not EntryMode.ROSTER and row.state.entrant(player.name) is None:
            game = draft.game_named(plan.game)
            if game is not None and _can_play(draft, player, game, row.entry):
                scheduling.done(draft, row, RegisterEntrant(player.name))


def _is_named_by_another(draft: Draft, row: TournamentRow) -> bool:
    return any(one.name == row.name and not one.is_over for one in draft.tournaments.values())


def _refused(why: str) -> Rejected:
    return Rejected(Code.TOURNAMENT_REFUSED, {"why": why})


def _game_of(draft: Draft, row: TournamentRow) -> Game[Any]:
    game = draft.game_named(row.state.plan.game)
    if game is None:
        raise ActRefused(f"there is no game {row.state.plan.game!r} on this server any more")
    return game


def _judged(draft: Draft, game: Game[Any], act: RegisterEntrant) -> RegisterEntrant:
    """The entry, with house players marked as such. Raises `ActRefused`."""
    name = act.player.strip()
    if not name or not name.isprintable() or len(name) > draft.server.rules.name_length_max:
        raise ActRefused(f"{act.player!r} is no name that anybody could log in under")
    is_house = name.startswith("house-")
    if is_house and not _is_house_player(draft, name, game):
        known = ", ".join(house.name for house in draft.server.house if game.name in house.games)
        raise ActRefused(f"there is no house player {name!r} for {game.name}; there is {known or 'none'}")
    return attrs.evolve(act, player=name, house=is_house)


def _is_house_player(draft: Draft, name: str, game: Game[Any]) -> bool:
    """True for a house player that knows the game, or one more of its kind, such as `house-random-2`."""
    stem, _, number = name.rpartition("-")
    names = (name, stem) if number.isascii() and number.isdigit() else (name,)
    return any(house.name in names and game.name in house.games for house in draft.server.house)


def _with_those_here(draft: Draft, row: TournamentRow) -> Tournament:
    """The tournament, with every player registered who takes part by being here."""
    game = _game_of(draft, row)
    state = row.state
    if row.entry is EntryMode.ROSTER or state.phase is not TournamentPhase.GATHERING:
        return state
    for player in list(draft.players.values()):
        if state.entrant(player.name) is None and _can_play(draft, player, game, row.entry):
            state = apply(state, RegisterEntrant(player.name))
    return state


def _can_play(draft: Draft, player: Player, game: Game[Any], entry: EntryMode) -> bool:
    """True if a player who is here is meant by the entry mode, and could be paired at this game at some time."""
    rooms_game = room_places.game_of_rooms(draft)
    by_rooms = Capability.ROOMS in player.capabilities and rooms_game is not None and rooms_game.name == game.name
    with_ticket = availability.ticket_of(draft, player, game.name) is not None
    if entry is EntryMode.SUBSCRIBED:
        return player.seek == game.name or (by_rooms and player.room is not None) or with_ticket
    return Capability.CHALLENGE in player.capabilities or by_rooms or with_ticket


def _waited_in_vain(draft: Draft, row: TournamentRow, pairing: Pairing) -> TournamentRow:
    """Decide an announced match that has waited long enough: a player who is not here, or not ready, loses it.

    A player who is in another match or has a rest is waited for. While the server drains, every player is waited for:
    none could play now, and the wait begins again after the restart.
    """
    absent = tuple(name for name in pairing.seats if not row.state.is_house(name) and _is_absent(draft, row, name))
    if absent and not draft.server.drains:
        return scheduling.done(draft, row, NoShow(pairing.number, absent))
    waits = {**row.waits, pairing.number: draft.at.now_ms + max(1_000, row.state.plan.no_show_ms)}
    return attrs.evolve(row, waits=waits)


def _is_absent(draft: Draft, row: TournamentRow, name: str) -> bool:
    player = draft.players.get(name)
    if player is not None and (player.match is not None or name in row.rests):
        return False
    return not availability.is_free(draft, row, name)


def _end_matches(draft: Draft, row: TournamentRow, why: str, pairing: int | None = None) -> None:
    """End the matches that no longer count."""
    for match in _matches_of(draft, row, pairing):
        void_match(draft, match, why)


def _matches_of(draft: Draft, row: TournamentRow, pairing: int | None) -> Iterator[Any]:
    for match in list(draft.matches.values()):
        scheduled = match.scheduled
        if scheduled is not None and scheduled.tournament == row.number and pairing in {None, scheduled.pairing}:
            yield match


HANDLERS: dict[type, Callable[[Draft, Any], Answer]] = {
    CreateTournament: create,
    RestoreTournament: restore,
    Conduct: conduct,
    TournamentTimeUp: time_up,
}

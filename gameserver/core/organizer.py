"""Plays tournaments in the lobby: begins matches when their players are free, and reports their results.

    a player comes, is ready, is free again  ->  `begin_matches`: matches that can begin now do
    a match of a tournament has ended        ->  `report_finished`: its result goes to its pairing
    a teacher creates one, or acts upon it   ->  `create`, `conduct`
    the director asks who is free            ->  the tournament and its players

The pure `gameserver.tournaments` defines tournaments and judges every act; a refusal comes back as a sentence. Acts
that only the lobby can know of (a match began, a result came) are refused as commands. Pairings are not decided here:
they come in as acts, worked out beside the lobby by the director.

A match that ends void (a fault of ours, nobody back after a restart) is played again; one whose game cannot even be
begun counts as such a fault. Where a bug in a protocol ended the connection of the same player before, in another match
of the tournament, the match is held for the teacher instead: the player may be provoking it.

A player is free when their protocol lets them be seated without asking: a player of the text protocol when they are in
no match, a Connect Four client when it sits in a room and has started, a GammonX client when it waits with a ticket for
the game. Players of other games are left in peace.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import attrs

from gameserver.core import lobby, matchmaker, places, referee, rooms, seats
from gameserver.core.commands import (
    Capability,
    Conduct,
    CreateTournament,
    EntryMode,
    RestoreTournament,
    ServerStarted,
    TournamentTimeUp,
)
from gameserver.core.draft import Draft, MatchFinished, PlayerAvailable, RoomChanged, SeekResumed, TournamentChanged
from gameserver.core.events import (
    Accepted,
    Answer,
    Code,
    EndReason,
    Rejected,
    Result,
    SeatsBy,
    TournamentCreated,
    UnseatedWhy,
)
from gameserver.core.identity import HOUSE_PREFIX
from gameserver.core.lobby import At, Lobby, Player, RoomGuest, RoomPhase, TournamentRow
from gameserver.core.match import Match, MatchChance, Scheduled
from gameserver.core.match_course import void_match
from gameserver.core.matchmaker import contributed, open_where_they_wait
from gameserver.core.places import leave_queue
from gameserver.core.ticket_search import waiting_ticket
from gameserver.game import Game
from gameserver.policies import Policies, overtaking
from gameserver.tournaments.act_table import apply, spec_of
from gameserver.tournaments.model import (
    SERVER,
    Act,
    ActRefused,
    Begin,
    Cancel,
    EndByTime,
    HoldPairing,
    NoShow,
    Pairing,
    PairingStatus,
    RegisterEntrant,
    Report,
    Resume,
    Ruling,
    StartTournament,
    Tournament,
    TournamentPhase,
    Verdict,
    VoidPairing,
    VoidStage,
)
from gameserver.tournaments.plan import Format
from gameserver.tournaments.planner import startable

# Judgement. Each snapshot writes them.
KEPT_MAX = 10
"""Events that stay in the lobby when they are over. An act upon an older one restores it from the records."""

MATCHES_KEPT_MAX = 3
"""The same for matches of two for practice, which nobody looks for in a list."""

_NO_MATCH = 0
"""The match number that stands for a match that could not be opened."""

# Judgement: a line of a report.
_REASON_LENGTH_MAX = 200


def create(draft: Draft, command: CreateTournament) -> Answer:
    """Carries out `CreateTournament`: announces a tournament as a row of the lobby."""
    plan = command.plan
    game = draft.game_named(plan.game)
    if game is None:
        return Rejected(Code.UNKNOWN_GAME, {"game": plan.game})
    if _is_in_use(draft, plan.name):
        return _refused(f"there is a tournament {plan.name!r} that is not over; choose another name")
    if plan.stand_in and not _is_house_player(draft, plan.stand_in, game):
        return _refused(f"{plan.stand_in!r} cannot stand in: it is no house player that plays {game.name}")
    # A player knows draws that were hidden from them once the seats change.
    same_chance = plan.same_chance and not referee.hides_draws(game)
    number = draft.server.next_tournament
    state = Tournament(attrs.evolve(plan, game=game.name, same_chance=same_chance), command.seed)
    if command.why:
        state = state.ruled(Ruling("created", command.by, command.why))
    try:
        for enter in command.roster:
            state = apply(state, _judged(draft, game, enter))
    except ActRefused as refused:
        return _refused(str(refused))
    draft.server = attrs.evolve(draft.server, next_tournament=number + 1)
    _put_tournament(draft, TournamentRow(number, state, command.entry, draft.at.wall_ms))
    _forget_oldest(draft)
    return TournamentCreated(number)


def _forget_oldest(draft: Draft) -> None:
    """Leave those to the records that have been in the lobby longest and are over."""
    for is_event, kept_max in ((True, KEPT_MAX), (False, MATCHES_KEPT_MAX)):
        rows = [row for row in draft.tournaments.values() if row.state.plan.event is is_event]
        over = [row.number for row in rows if row.is_over]
        # The table keeps the order of the numbers, so the first are the oldest.
        for old in over[: max(0, len(over) - kept_max)]:
            del draft.tournaments[old]


def restore(draft: Draft, command: RestoreTournament) -> Answer:
    """Carries out `RestoreTournament`: takes a tournament that is over back from the records."""
    number, state = command.tournament, command.state
    if draft.tournaments.get(number) is not None:
        return Accepted()
    row = TournamentRow(
        number, state, command.entry, command.created_wall_ms, command.started_wall_ms, command.ended_wall_ms
    )
    # From the records of this server come only numbers that it has given, of tournaments that are over.
    if number >= draft.server.next_tournament or not row.is_over:
        return Rejected(Code.UNKNOWN_TOURNAMENT, {"tournament": str(number)})
    _put_tournament(draft, row)
    _forget_oldest(draft)
    return Accepted()


def conduct(draft: Draft, command: Conduct) -> Answer:
    """Carries out `Conduct`: a teacher's act upon a tournament, or pairings that were worked out."""
    row = draft.tournaments.get(command.tournament)
    if row is None:
        return Rejected(Code.UNKNOWN_TOURNAMENT, {"tournament": str(command.tournament)})
    act: Any = command.act
    if spec_of(act).is_lobbys_own:
        return _refused("matches begin, end and run out of time by themselves; void or correct a result instead")
    # The lobby's time, not the sender's: an act is judged when it is decided.
    if hasattr(act, "now_ms"):
        act = attrs.evolve(act, now_ms=draft.at.now_ms)
    if isinstance(act, Resume) and row.state.phase is TournamentPhase.CANCELLED and _is_in_use(draft, row.name):
        return _refused(f"there is another tournament {row.name!r} that is not over; cancel or finish that one first")
    try:
        if isinstance(act, RegisterEntrant):
            act = _judged(draft, _game_of(draft, row), act)
        if isinstance(act, StartTournament):
            row = attrs.evolve(row, state=_with_those_here(draft, row))
        done(draft, row, act)
    except ActRefused as refused:
        return _refused(str(refused))
    if isinstance(act, VoidPairing):
        _end_matches(draft, row, f"voided by {act.by}: {act.why}", act.pairing)
    elif isinstance(act, Cancel | VoidStage):
        of_stage = f"the stage was voided by {act.by}: {act.why}"
        _end_matches(draft, row, "the tournament was cancelled" if isinstance(act, Cancel) else of_stage)
    return Accepted()


def _is_in_use(draft: Draft, name: str) -> bool:
    return any(row.name == name and not row.is_over for row in draft.tournaments.values())


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
    # The prefix is reserved, so nobody else can come in under such a name.
    is_house = name.startswith(HOUSE_PREFIX)
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
    # Only once, at the start: a tournament that is resumed takes in nobody new.
    if row.entry is EntryMode.ROSTER or state.phase is not TournamentPhase.GATHERING:
        return state
    for player in list(draft.players.values()):
        if state.entrant(player.name) is None and _can_play(draft, player, game, row.entry):
            state = apply(state, RegisterEntrant(player.name))
    return state


def _can_play(draft: Draft, player: Player, game: Game[Any], entry: EntryMode) -> bool:
    """True if a player who is here is meant by the entry mode, and could be paired at this game at some time."""
    rooms_game = places.game_of_rooms(draft)
    by_rooms = Capability.ROOMS in player.capabilities and rooms_game is not None and rooms_game.name == game.name
    # Only tickets in the game's usual form: those for other options look for another match than the tournament's.
    with_ticket = waiting_ticket(draft, player, game.name) is not None
    if entry is EntryMode.SUBSCRIBED:
        return player.seek == game.name or (by_rooms and player.room is not None) or with_ticket
    return Capability.CHALLENGE in player.capabilities or by_rooms or with_ticket


def _end_matches(draft: Draft, row: TournamentRow, why: str, pairing: int | None = None) -> None:
    """End the matches that no longer count: those of one pairing, or all."""
    for match in list(draft.matches.values()):
        scheduled = match.scheduled
        if scheduled is not None and scheduled.tournament == row.number and pairing in {None, scheduled.pairing}:
            void_match(draft, match, why)


def time_up(draft: Draft, command: TournamentTimeUp) -> Answer:
    """Carries out what is due in a tournament: the end of an arena, a no-show, the end of a player's rest."""
    row, now_ms = draft.tournaments.get(command.tournament), draft.at.now_ms
    # The alarm may ring for a row as it was before: it is looked at again then.
    if row is None or row.due_ms is None or row.due_ms > now_ms:
        return Rejected(Code.STALE)
    if row.state.ends_ms is not None and row.state.ends_ms <= now_ms:
        row = done(draft, row, EndByTime(now_ms))
    for number in [number for number, due_ms in row.waits.items() if due_ms <= now_ms]:
        pairing = row.state.pairings[number - 1]
        if row.state.phase is TournamentPhase.RUNNING and pairing.status is PairingStatus.ANNOUNCED:
            row = _waited_in_vain(draft, row, pairing)
    _put_tournament(draft, row)
    return Accepted()


def _waited_in_vain(draft: Draft, row: TournamentRow, pairing: Pairing) -> TournamentRow:
    """Decide an announced match that has waited long enough: a player who is not here, or not ready, loses it.

    A player who is in another match or has a rest is waited for. While the server drains, every player is waited for:
    none could play now, and the wait begins again after the restart.
    """
    absent = tuple(name for name in pairing.seats if not row.state.is_house(name) and _is_absent(draft, row, name))
    if absent and not draft.server.drains:
        return done(draft, row, NoShow(pairing.number, absent))
    # At least a second, or a plan that waits for nobody would have the alarm ring all the time.
    waits = {**row.waits, pairing.number: draft.at.now_ms + max(1_000, row.state.plan.no_show_ms)}
    return attrs.evolve(row, waits=waits)


def _is_absent(draft: Draft, row: TournamentRow, name: str) -> bool:
    player = draft.players.get(name)
    if player is not None and (player.match is not None or name in row.rests):
        return False
    return not is_free(draft, row, name)


def welcome(draft: Draft, available: PlayerAvailable) -> None:
    """Lets a player who may be free into open arenas, and has their tournaments looked at."""
    player = draft.players.get(available.player)
    if player is not None:
        _open_entries(draft, player)
    _call(draft, (available.player,))


def _open_entries(draft: Draft, player: Player) -> None:
    """Register a player in the arenas that are open to everybody here."""
    for row in list(draft.tournaments.values()):
        plan = row.state.plan
        if row.state.phase is not TournamentPhase.RUNNING or plan.format is not Format.ARENA or not plan.late_entry:
            continue
        if row.entry is not EntryMode.ROSTER and row.state.entrant(player.name) is None:
            game = draft.game_named(plan.game)
            if game is not None and _can_play(draft, player, game, row.entry):
                done(draft, row, RegisterEntrant(player.name))


def begin_matches(draft: Draft, changed: TournamentChanged) -> None:
    """Begins the matches of a tournament that can begin now, and has the director look at it."""
    row = draft.tournaments.get(changed.tournament)
    # Even where nothing can begin here: the director works the next pairings out.
    draft.wake.append(changed.tournament)
    if row is not None and row.is_over:
        places.wake_ladder(draft, row.state.plan.game)
    if row is None or row.state.phase is not TournamentPhase.RUNNING:
        return
    if draft.server.drains:
        # Waits that are over are dropped, or they would be due again and again until the stop.
        _keep_times(draft, row, {number: row.waits[number] for number in _announced(row) if number in row.waits})
        return
    found = startable(row.state, _free_players(draft, row))
    labels = Counter(pairing.chance for pairing in found)
    for pairing in found:
        row = _begin(draft, row, pairing, side_by_side=labels[pairing.chance] > 1)
    waits = {number: row.waits.get(number, _due_ms(draft, row, number)) for number in _announced(row)}
    _keep_times(draft, row, waits)


def _begin(draft: Draft, row: TournamentRow, pairing: Pairing, *, side_by_side: bool) -> TournamentRow:
    """Open the match of a pairing. A game that cannot be begun counts as a match that a fault of ours ended."""
    plan = row.state.plan
    game = draft.game_named(plan.game)
    if game is None:
        return _spoilt(draft, row, pairing, f"there is no game {plan.game!r} on this server any more")
    try:
        number = _open(draft, row, pairing, game)
    except referee.GameBug as fault:
        return _spoilt(draft, row, pairing, fault.why)
    chance = draft.matches[number].chance
    if chance.is_shared:
        row = attrs.evolve(row, contributions={**row.contributions, chance.key: chance.contributions})
    elif row.is_seed_told:
        # Each match has a chance of its own now: those of a pair must not seem to have the same.
        row = attrs.evolve(row, state=row.state.with_pairing(attrs.evolve(pairing, chance="")))
    return done(draft, row, Begin(pairing.number, number, side_by_side))


def _spoilt(draft: Draft, row: TournamentRow, pairing: Pairing, why: str) -> TournamentRow:
    draft.faults.append(why)
    row = done(draft, row, Begin(pairing.number, _NO_MATCH))
    return done(draft, row, VoidPairing(pairing.number, why=why))


def _open(draft: Draft, row: TournamentRow, pairing: Pairing, game: Game[Any]) -> int:
    people = [player for name in pairing.seats if (player := draft.players.get(name)) is not None]
    # For the second game of a pair, what had been added when the first one opened.
    added = row.contributions.get(pairing.chance, contributed(people))
    chance = None if row.is_seed_told else MatchChance(row.state.seed, pairing.chance, added)
    scheduled = Scheduled(row.number, pairing.number, pairing.round, pairing.board, pairing.chance)
    terms = partial(_policies_of, draft, row)
    more = {"scheduled": scheduled, "chance": chance}
    return open_where_they_wait(draft, game, pairing.seats, terms, seats_by=SeatsBy.TOURNAMENT, **more)


def _policies_of(draft: Draft, row: TournamentRow, policies: Policies, *, by_ticket: bool) -> Policies:
    """The mildest terms that any of the players needs, with the plan's own settings.

    Clients with tickets know neither a match that is lost at once nor a move that was made for them: their terms for
    these stay.
    """
    rules, plan = draft.server.rules, row.state.plan
    if plan.clock is not None:
        policies = attrs.evolve(policies, clock=plan.clock)
    if plan.late is not None and not by_ticket:
        # With a plan's own rule for late moves, too, a late answer must not count for the next question.
        policies = attrs.evolve(overtaking(policies, rules), late=plan.late)
    if plan.illegal is not None and not by_ticket:
        policies = attrs.evolve(policies, illegal=plan.illegal)
    return policies


def _announced(row: TournamentRow) -> list[int]:
    return [pairing.number for pairing in row.state.pairings if pairing.status is PairingStatus.ANNOUNCED]


def _due_ms(draft: Draft, row: TournamentRow, number: int) -> int:
    """Until when an announced pairing waits: at once if a player missed the game before it in the same encounter."""
    pairings, new = row.state.pairings, row.state.pairings[number - 1]
    if new.game > 1:
        games = (one for one in reversed(pairings[: number - 1]) if (one.round, one.board) == (new.round, new.board))
        before = next((one for one in games if one.status is PairingStatus.DONE), None)
        if before is not None and before.absent:
            return draft.at.now_ms
    return draft.at.now_ms + row.state.plan.no_show_ms


def _keep_times(draft: Draft, row: TournamentRow, waits: dict[int, int]) -> None:
    """Write these waits, and the rests that are not over. An unchanged row is not written: a change is recorded."""
    rests = {name: until_ms for name, until_ms in row.rests.items() if until_ms > draft.at.now_ms}
    if (waits, rests) != (row.waits, row.rests):
        _put_tournament(draft, attrs.evolve(row, waits=waits, rests=rests))


def report_finished(draft: Draft, finished: MatchFinished) -> None:
    """Reports the result of a match to its tournament; its players may be free for any tournament."""
    match = next(match for match in draft.finished if match.id == finished.match)
    scheduled = match.scheduled
    row = None if scheduled is None else draft.tournaments.get(scheduled.tournament)
    if scheduled is not None and row is not None:
        _report(draft, row, scheduled, match)
    _call(draft, [name for name in match.players if draft.players.get(name) is not None])


def _call(draft: Draft, names: Iterable[str]) -> None:
    """Have the tournaments looked at that reserve any of these players, who may be free."""
    if draft.lobby.tournaments and not draft.server.drains:
        for row in draft.tournaments.values():
            if row.state.phase is TournamentPhase.RUNNING and any(map(row.keeps, names)):
                draft.follow_ups.add(TournamentChanged(row.number))


def _report(draft: Draft, row: TournamentRow, scheduled: Scheduled, match: Match) -> None:
    result = match.result
    assert result is not None, "what has ended has a result"
    pairing = row.state.pairings[scheduled.pairing - 1]
    if pairing.status is not PairingStatus.PLAYING or pairing.match != match.id:
        # The teacher ended it by voiding it: it may be played again at once.
        _rest(draft, row, match)
        return
    act: Act
    repeated = [name for name in seats.not_back(match, draft.at.now_ms) if len(row.faults.get(name, ())) > 1]
    # The second bug of the same player may be provoked, to get a lost match played again.
    if repeated and result.reason is EndReason.VOID:
        act = HoldPairing(pairing.number, result.why, repeated[0])
    elif result.reason in {EndReason.VOID, EndReason.ABANDONED}:
        act = VoidPairing(pairing.number, by=SERVER, why=result.why or "the match ended without a result")
    else:
        # Tournaments are of games for two.
        first, second = result.points
        act = Report(pairing.number, match.id, _verdict(result), _reason(result), (first, second))
        row = attrs.evolve(row, took_ms={**row.took_ms, pairing.number: draft.at.now_ms - match.opened_ms})
    try:
        row = done(draft, row, act)
    except ActRefused as refused:
        draft.faults.append(f"{row.name} did not take the result of match {match.id}: {refused}")
        return
    _rest(draft, row, match)


def _rest(draft: Draft, row: TournamentRow, match: Match) -> None:
    """Give both players the plan's pause before their next match. House players need none."""
    if row.state.plan.pause_ms and not row.is_over:
        until_ms = draft.at.now_ms + row.state.plan.pause_ms
        rests = {**row.rests, **{name: until_ms for name in match.players if not row.state.is_house(name)}}
        _put_tournament(draft, attrs.evolve(row, rests=rests))


def _verdict(result: Result) -> Verdict:
    """The verdict by the seats that won: all of them, or none after a game that was played, is a draw."""
    if len(result.winners) == 1:
        return Verdict.FIRST if result.winners[0] == 0 else Verdict.SECOND
    return Verdict.DRAW if result.reason is EndReason.PLAYED else Verdict.BOTH_LOSE


def _reason(result: Result) -> str:
    """The reason of the end, in a few words; empty for a match that was simply played."""
    said = result.reason_text if result.reason is EndReason.PLAYED else str(result.reason)
    if result.why:
        said = f"{said}: {result.why}"
    return said[:_REASON_LENGTH_MAX]


def resume_after_restart(draft: Draft, command: ServerStarted) -> None:
    """Resumes tournaments after a restart: announced matches wait again, lost ones are played again."""
    wait_ms = command.rules.restart_grace_ms
    for found in list(draft.tournaments.values()):
        row = found
        draft.follow_ups.add(TournamentChanged(row.number))
        for pairing in found.state.pairings:
            gone = pairing.match is None or draft.matches.get(pairing.match) is None
            if pairing.status is PairingStatus.PLAYING and gone:
                row = done(
                    draft, row, VoidPairing(pairing.number, why="the match was lost with a restart of the server")
                )
        if row.state.phase is TournamentPhase.RUNNING:
            # The restart disconnected everybody: nobody misses a match before they had the time to come back.
            until_ms = draft.at.now_ms + max(wait_ms, row.state.plan.no_show_ms)
            waits = dict.fromkeys(row.waits, until_ms)
            _put_tournament(draft, attrs.evolve(row, waits=waits, rests={}))


def done(draft: Draft, row: TournamentRow, act: Act) -> TournamentRow:
    """Carries out an act upon a tournament's row in the lobby. Raises `ActRefused`."""
    after = row.with_state(apply(row.state, act), draft.at.now_ms, draft.at.wall_ms)
    after = attrs.evolve(after, rests={} if after.is_over else row.rests)
    _put_tournament(draft, after)
    return after


def _put_tournament(draft: Draft, row: TournamentRow) -> None:
    """Write a row, and look again at every player who is reserved from now on, or no longer."""
    before = draft.tournaments.get(row.number)
    if row.is_over and not row.is_seed_told:
        # Whatever is still played of it ends with this decision.
        row = attrs.evolve(row, is_seed_told=True)
    draft.tournaments[row.number] = row
    draft.follow_ups.add(TournamentChanged(row.number))
    was = {} if before is None else lobby.reserved_names(before)
    now = lobby.reserved_names(row)
    for name in (*was, *now):
        if (name in was) != (name in now):
            if row.is_over and not row.state.plan.searches:
                _drop_search(draft, name)
                _drop_readiness(draft, name)
            _look_again(draft, row, name)


def _look_again(draft: Draft, row: TournamentRow, name: str) -> None:
    """Handle a player whom a tournament reserves from now on, or no longer reserves."""
    player = draft.players.get(name)
    if player is None:
        return
    draft.follow_ups.add(PlayerAvailable(name))
    is_kept = lobby.is_reserved(draft, name)
    if player.room is not None:
        draft.follow_ups.add(RoomChanged(player.room))
        if is_kept:
            player = places.take_guests_place(draft, player, RoomGuest.SEEKING)
    if player.seek is not None:
        draft.follow_ups.add(SeekResumed(name, ("tournaments", row.number)))
    if not is_kept:
        matchmaker.look_again(draft, player)


def _drop_search(draft: Draft, name: str) -> None:
    player = draft.players.get(name)
    if player is not None and not lobby.is_reserved(draft, name):
        draft.players[name] = attrs.evolve(leave_queue(draft, player), seek=None)


def _drop_readiness(draft: Draft, name: str) -> None:
    """Send a player who waits in a room for the tournament's next match back to the lobby.

    Their `start` was meant for it. In an open room it would begin a match with the next player who starts there.
    """
    player = draft.players.get(name)
    if player is None or player.room is None or lobby.is_reserved(draft, name):
        return
    room = draft.rooms[player.room]
    if room.phase is RoomPhase.KEPT:
        rooms.unseat_all(draft, room, UnseatedWhy.TOURNAMENT_OVER)


def to_pair(lobby: Lobby, number: int, now_ms: int) -> tuple[TournamentRow, frozenset[str]] | None:
    """The tournament and the free players that the organizer gives the planner; None if it does not run."""
    row = lobby.tournaments.get(number)
    if row is None or row.state.phase is not TournamentPhase.RUNNING:
        return None
    return row, _free_players(Draft(lobby, At(now_ms, now_ms)), row)


def _free_players(draft: Draft, row: TournamentRow) -> frozenset[str]:
    """The entrants who can be seated now, without house players. Do not iterate the set: its order varies."""
    return frozenset(name for name in lobby.reserved_names(row) if is_free(draft, row, name))


def is_free(draft: Draft, row: TournamentRow, name: str) -> bool:
    """True if a player can be seated in a match of this tournament now, as far as their protocol lets them."""
    player = draft.players.get(name)
    if player is None or player.match is not None or row.rests.get(name, 0) > draft.at.now_ms:
        return False
    if Capability.CHALLENGE in player.capabilities:
        return True
    if player.sits:
        game = places.game_of_rooms(draft)
        room = None if player.room is None else draft.rooms.get(player.room)
        in_room = room is not None and room.phase is RoomPhase.KEPT
        return in_room and game is not None and game.name == row.state.plan.game
    return waiting_ticket(draft, player, row.state.plan.game) is not None


DECIDERS: dict[type, Callable[[Draft, Any], Answer]] = {
    CreateTournament: create,
    RestoreTournament: restore,
    Conduct: conduct,
    TournamentTimeUp: time_up,
}

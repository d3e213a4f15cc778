"""An act makes the next state of a tournament; each is a pure function.

Upon pairings: announce, begin, report, count as a no-show, void, hold, correct. Upon the course: pause, resume, finish,
cancel, the next stage, going back to the one before, and the end of an arena's time. Upon the field: entering, leaving,
being put out, and the draw at the start.
"""

from collections.abc import Mapping

import attrs

from gameserver.chance import lot
from gameserver.tournaments import knockout, swiss
from gameserver.tournaments.history import History
from gameserver.tournaments.model import (
    LET_IN,
    SERVER,
    TEAM_LENGTH_MAX,
    ActRefused,
    Begin,
    Cancel,
    Correct,
    Disqualify,
    EndByTime,
    Entrant,
    EntrantStatus,
    FeaturePairing,
    Finish,
    HoldPairing,
    NextStage,
    NoShow,
    Pair,
    Pairing,
    PairingStatus,
    Pause,
    RegisterEntrant,
    Report,
    Resume,
    Ruling,
    StageDraw,
    StartTournament,
    Tournament,
    TournamentPhase,
    Verdict,
    VoidPairing,
    VoidStage,
    WithdrawEntrant,
)
from gameserver.tournaments.plan import Draw, Format, Plan
from gameserver.tournaments.planner import is_complete, is_stage_complete, qualifiers, rounds_planned
from gameserver.tournaments.stages import grouped, part_of, parts, stage_of
from gameserver.tournaments.teams import check_teams, drawn_apart, field_of_teams


def pause(tournament: Tournament, act: Pause) -> Tournament:
    """The transition of `Pause`: begin nothing new. An arena's time stands still."""
    return _noted(attrs.evolve(_clock_held(tournament, act.now_ms), phase=TournamentPhase.PAUSED), act)


def resume(tournament: Tournament, act: Resume) -> Tournament:
    """The transition of `Resume`: go on where it stopped; a tournament cancelled before its start gathers again.

    A tournament that was cancelled before its start gathers again.
    """
    # Only the draw gives numbers: without one it never started.
    if tournament.phase is TournamentPhase.CANCELLED and not any(entrant.number for entrant in tournament.entrants):
        return _noted(attrs.evolve(tournament, phase=TournamentPhase.GATHERING), act)
    if tournament.phase is TournamentPhase.OVER and is_complete(tournament):
        raise ActRefused("this tournament has been played to its end; void a match to have it played again")
    # An arena goes on with the time that was left when its clock stopped.
    ends_ms = act.now_ms + tournament.left_ms if tournament.left_ms else tournament.ends_ms
    return _noted(attrs.evolve(tournament, phase=TournamentPhase.RUNNING, ends_ms=ends_ms, left_ms=0), act)


def finish(tournament: Tournament, act: Finish) -> Tournament:
    """The transition of `Finish`: stop the tournament once what is being played has ended."""
    return _noted(attrs.evolve(_clock_held(tournament, act.now_ms), phase=TournamentPhase.FINISHING), act)


def time_up(tournament: Tournament, act: EndByTime) -> Tournament:
    """The transition of `EndByTime`: end an arena whose time is over."""
    if tournament.ends_ms is None or act.now_ms < tournament.ends_ms:
        return tournament
    return attrs.evolve(tournament, phase=TournamentPhase.FINISHING, ends_ms=None, left_ms=0)


def cancel(tournament: Tournament, act: Cancel) -> Tournament:
    """The transition of `Cancel`: end the tournament at once; what is open is not played unless it is resumed."""
    held = _clock_held(tournament, act.now_ms)
    stopped = without_open(held, "the tournament was cancelled")
    return attrs.evolve(stopped, phase=TournamentPhase.CANCELLED, ends_ms=None).ruled(
        Ruling("cancelled", act.by, act.why)
    )


def without_open(tournament: Tournament, why: str) -> Tournament:
    """The tournament after a transition that voids what is announced or being played."""
    pairings = tuple(
        attrs.evolve(pairing, status=PairingStatus.VOID, reason=why) if pairing.is_open else pairing
        for pairing in tournament.pairings
    )
    return attrs.evolve(tournament, pairings=pairings)


def _clock_held(tournament: Tournament, now_ms: int) -> Tournament:
    if tournament.ends_ms is None:
        return tournament
    return attrs.evolve(tournament, ends_ms=None, left_ms=max(0, tournament.ends_ms - now_ms))


_WHAT: Mapping[type, str] = {Pause: "paused", Resume: "resumed", Finish: "to stop after what is being played"}


def _noted(tournament: Tournament, act: Pause | Resume | Finish) -> Tournament:
    """The tournament with what a person did on record; what the server does by itself is no ruling."""
    return tournament if act.by == SERVER else tournament.ruled(Ruling(_WHAT[type(act)], act.by, act.why))


def enter(tournament: Tournament, act: RegisterEntrant) -> Tournament:
    """The transition of `RegisterEntrant`: let a player in; a withdrawn one back in, with the results that it had."""
    name = act.player
    known = tournament.entrant(name)
    if name == tournament.plan.stand_in:
        raise ActRefused(f"{name} stands in for the odd seat in this tournament and cannot enter it as well")
    if known is not None and known.status is EntrantStatus.DISQUALIFIED:
        raise ActRefused(f"{name} was disqualified from this tournament and cannot enter it again")
    if known is not None and not known.is_out:
        raise ActRefused(f"{name} is in this tournament already")
    if tournament.phase is not TournamentPhase.GATHERING:
        _check_late(tournament, name)
    # Before the start the list of entrants says it all; later ones get their numbers without a lot.
    if tournament.phase is not TournamentPhase.GATHERING:
        tournament = tournament.ruled(Ruling(LET_IN, act.by, act.why, player=name))
    if known is not None:
        return tournament.with_entrant(attrs.evolve(known, status=EntrantStatus.IN))
    entrant = Entrant(name, rating=act.rating, house=act.house, team=_team(act.team or tournament.teams.get(name, "")))
    if tournament.phase is not TournamentPhase.GATHERING:
        # Elsewhere a late entry still meets everybody; in a Swiss the rounds before are missed.
        from_round = tournament.round + 1 if tournament.plan.format is Format.SWISS else 1
        last = max((one.number for one in tournament.entrants), default=0)
        entrant = attrs.evolve(entrant, number=last + 1, from_round=from_round)
        if tournament.has_parts:
            (field,) = tournament.draws[0].groups
            draw = attrs.evolve(tournament.draws[0], groups=((*field, name),))
            tournament = attrs.evolve(tournament, draws=(draw,))
    return _with_rounds_of_teams(attrs.evolve(tournament, entrants=(*tournament.entrants, entrant)))


def _with_rounds_of_teams(tournament: Tournament) -> Tournament:
    """The tournament with as many rounds as its teams need to meet; they are fixed in a Swiss."""
    plan, is_drawn = tournament.plan, tournament.phase is not TournamentPhase.GATHERING
    if plan.team_boards and plan.format is not Format.SWISS and is_drawn:
        return attrs.evolve(tournament, rounds=rounds_planned(field_of_teams(tournament)))
    return tournament


def _team(name: str) -> str:
    """The name of a team in a line: what a teacher's table has may hold anything."""
    return "".join(filter(str.isprintable, " ".join(name.split())))[:TEAM_LENGTH_MAX].strip()


def _check_late(tournament: Tournament, name: str) -> None:
    if tournament.has_parts:
        draw, is_known = tournament.draws[-1], tournament.is_in_stage(name)
        if draw.last_round is not None or (tournament.stage and not is_known):
            raise ActRefused(f"{name} is too late: a stage that is over has settled who plays on")
        if tournament.plan.stages[tournament.stage].group_size and not is_known:
            raise ActRefused(f"{name} is too late: the groups are fixed by the draw")
        tournament = parts(tournament)[0].state
    if tournament.plan.is_bracket:
        raise ActRefused(f"{name} is too late: the places of a {tournament.plan.format} are fixed by its draw")
    if not tournament.plan.late_entry:
        raise ActRefused(f"{name} is too late: this tournament admits nobody after its start")


def withdraw(tournament: Tournament, act: WithdrawEntrant) -> Tournament:
    """The transition of `WithdrawEntrant`: take a player out.

    What is played goes on; what was announced is not played.
    """
    entrant = _present(tournament, act.player)
    if tournament.phase is TournamentPhase.GATHERING:
        return attrs.evolve(tournament, entrants=tuple(e for e in tournament.entrants if e is not entrant))
    if not tournament.is_in_stage(entrant.name):
        raise ActRefused(f"{entrant.name} did not go on to this stage of the tournament and plays no more")
    return _put_out(tournament, entrant, EntrantStatus.WITHDRAWN, act.by, act.why)


def disqualify(tournament: Tournament, act: Disqualify) -> Tournament:
    """The transition of `Disqualify`: put a player out of the tournament for good."""
    if not act.why.strip():
        raise ActRefused(f"say why {act.player} is disqualified: the reason is shown with the standings")
    entrant = tournament.entrant(act.player)
    if entrant is None or entrant.status is EntrantStatus.DISQUALIFIED:
        entrant = _present(tournament, act.player)
    out = _put_out(tournament, entrant, EntrantStatus.DISQUALIFIED, act.by, act.why)
    return _with_same_qualifiers(out, f"the disqualification of {act.player}")


def _present(tournament: Tournament, name: str) -> Entrant:
    entrant = tournament.entrant(name)
    if entrant is None:
        raise ActRefused(f"{name} is not in this tournament")
    if entrant.is_out:
        raise ActRefused(f"{name} is out of this tournament already ({entrant.status})")
    return entrant


def _put_out(tournament: Tournament, entrant: Entrant, status: EntrantStatus, by: str, why: str) -> Tournament:
    """Mark a player as out, and see to the matches that were announced."""
    tournament = tournament.with_entrant(attrs.evolve(entrant, status=status))
    tournament = tournament.ruled(Ruling(status.value, by, why, player=entrant.name))
    for pairing in tournament.pairings:
        if pairing.status is PairingStatus.ANNOUNCED and entrant.name in pairing.seats:
            tournament = tournament.with_pairing(_walked_over(tournament, pairing))
    return tournament


def _walked_over(tournament: Tournament, pairing: Pairing) -> Pairing:
    """The pairing without its game, by the rules of its stage."""
    # Only the status and the verdict change: round and board stay those of the whole tournament.
    return without_game(part_of(tournament, pairing).state, pairing)


def without_game(tournament: Tournament, pairing: Pairing) -> Pairing:
    """The transition of an announced pairing that ends because a player of it is out.

    Where the opponent was to meet just this player, it is a win without a game. If both are out, both lose it;
    in a knockout, whose tree needs somebody to go on, the better seed wins. Where everybody meets everybody, or
    anybody, it is dropped: the plan's effects say what it counts for.
    """
    if tournament.plan.is_open_to_all:
        return attrs.evolve(pairing, status=PairingStatus.VOID, reason="a player is out")
    out = [tournament.is_out(name) for name in pairing.seats]
    verdict = Verdict.SECOND if out[0] else Verdict.FIRST
    if all(out) and tournament.plan.is_bracket:
        numbers = {entrant.name: entrant.number for entrant in tournament.entrants}
        first, second = pairing.seats
        verdict = Verdict.FIRST if numbers[first] < numbers[second] else Verdict.SECOND
    elif all(out):
        verdict = Verdict.BOTH_LOSE
    return attrs.evolve(pairing, status=PairingStatus.DONE, verdict=verdict, played=False, walkover=True)


def start(tournament: Tournament, act: StartTournament) -> Tournament:
    """The transition of `StartTournament`: make the draw, and begin."""
    plan = tournament.plan
    if len(tournament.entrants) < 2:
        raise ActRefused(f"a tournament needs at least two players; {len(tournament.entrants)} entered")
    missing = [name for name in plan.champions if tournament.entrant(name) is None]
    if plan.format is Format.GAUNTLET and missing:
        raise ActRefused(f"the gauntlet is run against {', '.join(missing)}, who did not enter")
    if plan.format is Format.GAUNTLET and len(set(plan.champions)) >= len(tournament.entrants):
        raise ActRefused("a gauntlet needs a challenger besides its champions")
    known = (
        attrs.evolve(
            one,
            rating=one.rating or act.ratings.get(one.name, 0),
            team=one.team or _team(act.teams.get(one.name, "")),
        )
        for one in tournament.entrants
    )
    entrants = _drawn(attrs.evolve(tournament, entrants=tuple(known)))
    if plan.format is Format.ROUND_ROBIN and plan.stand_in and len(entrants) % 2:
        entrants = (*entrants, Entrant(plan.stand_in, len(entrants) + 1, house=True))
    draws: tuple[StageDraw, ...] = ()
    if plan.stages:
        draws = (StageDraw(grouped([entrant.name for entrant in entrants], plan.stages[0])),)
        plan = plan.of_stage(0)
    ends_ms = act.now_ms + plan.duration_ms if plan.format is Format.ARENA else None
    sides = len(entrants)
    if plan.team_boards:
        check_teams(attrs.evolve(tournament, entrants=entrants))
        sides = len(field_of_teams(attrs.evolve(tournament, entrants=entrants)).entrants)
    begun = attrs.evolve(
        tournament,
        phase=TournamentPhase.RUNNING,
        entrants=entrants,
        rounds=_rounds(plan, sides),
        ends_ms=ends_ms,
        draws=draws,
        teams=act.teams if plan.format is Format.ARENA else {},
    )
    return _with_rounds_of_teams(begun)


def _rounds(plan: Plan, players: int) -> int:
    """The rounds of a Swiss; 0 for other formats."""
    return plan.rounds or swiss.rounds_needed(players) if plan.format is Format.SWISS else 0


def next_stage(tournament: Tournament, act: NextStage) -> Tournament:
    """The transition of `NextStage`: begin the next stage with those who go on."""
    number = tournament.stage + 1
    if not tournament.has_parts or number >= len(tournament.plan.stages):
        raise ActRefused("no stage follows")
    # A ruling may have changed who goes on since this was worked out; nothing else can, once all is played.
    if act.rulings != len(tournament.rulings) or not is_stage_complete(tournament):
        raise ActRefused("the next stage is out of date: work it out again")
    over = attrs.evolve(tournament.draws[-1], last_round=act.last_round)
    # The rounds of a stage that was voided come after its last one.
    after_round = max(act.last_round, tournament.round)
    return attrs.evolve(
        tournament,
        draws=(*tournament.draws[:-1], over, StageDraw(act.groups, after_round)),
        round=after_round,
        rounds=_rounds(tournament.plan.of_stage(number), sum(map(len, act.groups))),
    )


def void_stage(tournament: Tournament, act: VoidStage) -> Tournament:
    """The transition of `VoidStage`: strike out the stage, and pause at the end of the one before."""
    if tournament.stage == 0:
        raise ActRefused("no stage has been played before this one; void single games, or cancel the tournament")
    _check_why(act.by, act.why, "voided")
    gone, before = tournament.draws[-1], tournament.draws[-2]
    pairings = tuple(
        attrs.evolve(one, status=PairingStatus.VOID, verdict=None, reason=f"the stage was voided: {act.why}")
        if gone.has(one.round)
        else one
        for one in tournament.pairings
    )
    assert before.last_round is not None, "a stage that another one follows has been over"
    rounds = before.last_round - before.after_round if _is_swiss(tournament, tournament.stage - 1) else 0
    back = attrs.evolve(
        tournament, phase=TournamentPhase.PAUSED, pairings=pairings, draws=tournament.draws[:-1], rounds=rounds
    )
    return back.ruled(Ruling(f"voided stage {tournament.stage + 1}", act.by, act.why))


def _is_swiss(tournament: Tournament, stage: int) -> bool:
    return tournament.plan.stages[stage].format is Format.SWISS


def _with_same_qualifiers(tournament: Tournament, what: str) -> Tournament:
    """The tournament, if in every stage that another one follows, the same players go on as have gone on."""
    for stage in range(tournament.stage):
        went_on = frozenset(tournament.draws[stage + 1].players)
        go_on = frozenset(name for names in qualifiers(tournament, stage) for name in names)
        if went_on != go_on:
            changed = ", ".join(sorted(went_on ^ go_on))
            raise ActRefused(
                f"{what} changes who goes on from stage {stage + 1} ({changed}), and stage {stage + 2} has begun:"
                f" {_go_back(tournament, stage)}"
            )
    return tournament


def _go_back(tournament: Tournament, stage: int) -> str:
    """The way back to a stage that others follow, in words."""
    times = tournament.stage - stage
    return "void that stage first (void-stage)" if times == 1 else f"void the stages since, by void-stage {times} times"


def _drawn(tournament: Tournament) -> tuple[Entrant, ...]:
    """The entrants in the order of their new numbers. By rating: those without one come last, by lot among equals."""
    entrants = tournament.entrants
    if tournament.plan.draw is not Draw.ENTRY:
        by_rating = tournament.plan.draw is Draw.RATING
        entrants = tuple(
            sorted(entrants, key=lambda one: (-one.rating * by_rating, lot(tournament.seed, "number", one.name)))
        )
    names = drawn_apart([one.name for one in entrants], tournament.team_of, tournament.plan)
    number_of = {name: number for number, name in enumerate(names, start=1)}
    numbered = (attrs.evolve(entrant, number=number_of[entrant.name]) for entrant in entrants)
    return tuple(sorted(numbered, key=lambda entrant: entrant.number))


def pair(tournament: Tournament, act: Pair) -> Tournament:
    """The transition of `Pair`: announce pairings, unless something has happened meanwhile that forbids them."""
    busy = {name for pairing in tournament.keeping for name in pairing.seats if not tournament.is_house(name)}
    known = {entrant.name for entrant in tournament.entrants if tournament.is_in_stage(entrant.name)}
    known.add(tournament.plan.stand_in)
    plan = parts(tournament)[0].state.plan
    for number, pairing in enumerate(act.pairings, start=len(tournament.pairings) + 1):
        people = [name for name in pairing.seats if not tournament.is_house(name)]
        if (
            pairing.number != number
            or pairing.status is not PairingStatus.ANNOUNCED
            or not known.issuperset(pairing.seats)
        ):
            raise ActRefused("these pairings are out of date: work them out again")
        if any(name in busy for name in people):
            raise ActRefused(f"{' or '.join(people)} has a match already: work the pairings out again")
        # Pairings are worked out beside the lobby, which may have changed meanwhile. In a Swiss or a knockout the
        # opponent has a right to the game: it becomes a walkover below.
        if any(map(tournament.is_out, people)) and plan.is_open_to_all:
            raise ActRefused(f"{' or '.join(people)} is out by now: work the pairings out again")
        busy.update(people)
    new = tuple(
        _walked_over(tournament, pairing) if any(map(tournament.is_out, pairing.seats)) else pairing
        for pairing in act.pairings
    )
    rounds = [pairing.round for pairing in act.pairings] + [bye.round for bye in act.byes]
    paired = attrs.evolve(
        tournament,
        pairings=(*tournament.pairings, *new),
        byes=(*tournament.byes, *act.byes),
        round=max([tournament.round, *rounds]),
    )
    # A final was once paired while the semi-final that it rests on was being struck out.
    if any(_resting_on_others(part.state) is not None for part in parts(paired)):
        raise ActRefused("these pairings are out of date: a result that they rest on was struck out meanwhile")
    return paired


def begin(tournament: Tournament, act: Begin) -> Tournament:
    """The transition of `Begin`: an announced pairing is being played."""
    pairing = _found(tournament, act.pairing)
    if pairing.status is not PairingStatus.ANNOUNCED:
        raise ActRefused(f"pairing {pairing.number} is {pairing.status}: only an announced one can begin")
    begun = attrs.evolve(pairing, status=PairingStatus.PLAYING, match=act.match, side_by_side=act.side_by_side)
    return tournament.with_pairing(begun)


def report(tournament: Tournament, act: Report) -> Tournament:
    """The transition of `Report`: a pairing that was being played has its result."""
    pairing = _found(tournament, act.pairing)
    if pairing.status is not PairingStatus.PLAYING or pairing.match != act.match:
        raise ActRefused(f"pairing {pairing.number} is not being played as match {act.match}; its result is ignored")
    return tournament.with_pairing(
        attrs.evolve(pairing, status=PairingStatus.DONE, verdict=act.verdict, reason=act.reason, points=act.points)
    )


def feature(tournament: Tournament, act: FeaturePairing) -> Tournament:
    """The transition of `FeaturePairing`: the board is shown large until its match ends."""
    pairing = _found(tournament, act.pairing)
    if pairing.status is not PairingStatus.PLAYING:
        raise ActRefused(f"pairing {pairing.number} is {pairing.status}: choose one that is being played")
    return attrs.evolve(tournament, featured=pairing.number)


def no_show(tournament: Tournament, act: NoShow) -> Tournament:
    """The transition of `NoShow`: the match is lost by those who did not come, by both if neither did."""
    pairing = _found(tournament, act.pairing)
    absent = tuple(name for name in pairing.seats if name in act.absent)
    if pairing.status is not PairingStatus.ANNOUNCED:
        raise ActRefused(f"pairing {pairing.number} is {pairing.status}: nobody is waited for")
    if not absent or any(map(tournament.is_house, absent)):
        raise ActRefused(f"name the absent player of pairing {pairing.number}: {' or '.join(pairing.seats)}")
    verdict = (
        # Both absent: both lose, as in UConn's course league.
        Verdict.BOTH_LOSE if len(absent) == 2 else Verdict.FIRST if absent[0] == pairing.seats[1] else Verdict.SECOND
    )
    done = attrs.evolve(
        pairing, status=PairingStatus.DONE, verdict=verdict, played=False, absent=absent, reason="no-show"
    )
    tournament, no_shows_max = tournament.with_pairing(done), tournament.plan.no_shows_max
    for name in absent:
        entrant = tournament.entrant(name)
        if entrant is not None and not entrant.is_out and tournament.missed_in_a_row(name) >= no_shows_max:
            why = f"not there {no_shows_max} times in a row"
            tournament = _put_out(tournament, entrant, EntrantStatus.WITHDRAWN, act.by, why)
    return tournament


def void(tournament: Tournament, act: VoidPairing) -> Tournament:
    """The transition of `VoidPairing`: take a match out of the count; it will be announced again.

    Where the server's own faults have spoilt it too often, it counts as a draw that was not played, and
    the teacher can still correct that: a tournament must come to its end.
    """
    pairing = _found(tournament, act.pairing)
    if pairing.status not in (PairingStatus.PLAYING, PairingStatus.DONE, PairingStatus.HELD):
        raise ActRefused(f"pairing {pairing.number} is {pairing.status}: there is nothing to void")
    stage = stage_of(tournament, pairing)
    if stage is not None and stage < tournament.stage:
        raise ActRefused(
            f"pairing {pairing.number} is of stage {stage + 1}, and stage {stage + 2} has begun, which rests on it:"
            f" correct the result, or {_go_back(tournament, stage)}"
        )
    _check_why(act.by, act.why, "voided")
    tournament = tournament.ruled(Ruling("void", act.by, act.why, pairing=pairing.number))
    place = (pairing.round, pairing.board, pairing.game)
    before = sum(
        one.status is PairingStatus.VOID and one.match is not None and (one.round, one.board, one.game) == place
        for one in tournament.pairings
    )
    if act.by == SERVER and before + 1 >= tournament.plan.voids_max:
        spoilt = attrs.evolve(pairing, status=PairingStatus.DONE, verdict=Verdict.DRAW, played=False, reason=act.why)
        return tournament.with_pairing(spoilt)
    changed = tournament.with_pairing(attrs.evolve(pairing, status=PairingStatus.VOID, verdict=None, reason=act.why))
    return _holding_together(changed, pairing)


def hold(tournament: Tournament, act: HoldPairing) -> Tournament:
    """The transition of `HoldPairing`: leave a match for a person to decide; it is not played again by itself.

    Its players go on with the others meanwhile; the tournament does not end before it is decided.
    """
    pairing = _found(tournament, act.pairing)
    if pairing.status is not PairingStatus.PLAYING:
        raise ActRefused(f"pairing {pairing.number} is {pairing.status}: only what is being played can be held")
    ruling = Ruling("held for the teacher to decide", SERVER, act.why, pairing=pairing.number, player=act.player)
    return tournament.ruled(ruling).with_pairing(attrs.evolve(pairing, status=PairingStatus.HELD, reason=act.why))


def correct(tournament: Tournament, act: Correct) -> Tournament:
    """The transition of `Correct`: set a result by hand. Pairings that were made meanwhile stay as they are."""
    pairing = _found(tournament, act.pairing)
    if pairing.status is PairingStatus.PLAYING:
        raise ActRefused(f"pairing {pairing.number} is being played: wait for its end, or void it")
    if pairing.status is PairingStatus.VOID:
        raise ActRefused(f"pairing {pairing.number} was voided: correct the one that replaces it")
    _check_why(act.by, act.why, "corrected")
    ruling = Ruling(f"result set to {act.verdict}", act.by, act.why, pairing=pairing.number)
    changed = attrs.evolve(
        pairing,
        status=PairingStatus.DONE,
        verdict=act.verdict,
        # A result by hand for a match that was never opened is one without a game.
        played=pairing.played and pairing.match is not None,
        absent=(),
        reason=f"corrected: {act.why}",
    )
    corrected = _holding_together(tournament.ruled(ruling).with_pairing(changed), pairing)
    return _with_same_qualifiers(corrected, f"the result of pairing {pairing.number}")


def _check_why(by: str, why: str, what: str) -> None:
    if by != SERVER and not why.strip():
        raise ActRefused(f"say why the result is {what}: the reason is shown with it")


def _holding_together(tournament: Tournament, pairing: Pairing) -> Tournament:
    """The tournament, if no encounter of a knockout has players now whom its results do not bring there."""
    now = _resting_on_others(part_of(tournament, pairing).state)
    if now is not None:
        raise ActRefused(
            f"{now.node.round_name} between {' and '.join(now.games[0].seats)} rests on pairing {pairing.number}:"
            f" void pairing {now.games[0].number} first"
        )
    return tournament


def _resting_on_others(tournament: Tournament) -> knockout.NodeNow | None:
    """An encounter of a knockout that has begun between others than those whom the results bring there."""
    if not tournament.plan.is_bracket:
        return None
    nodes = knockout.nodes_now(History.of(tournament))
    return next((now for now in nodes if now.games and sorted(map(str, now.players)) != list(now.games[0].pair)), None)


def _found(tournament: Tournament, number: int) -> Pairing:
    if not 1 <= number <= len(tournament.pairings):
        raise ActRefused(f"there is no pairing {number} in this tournament")
    return tournament.pairings[number - 1]

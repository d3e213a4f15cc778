"""Stages of a tournament: the part of it that each group of each stage is, as a tournament by itself.

A part has the plan, the entrants, the rounds and the pairings of its group alone, numbered from 1. So planning,
standings and everything else that asks about one field works on a part as it does on a tournament without stages, which
is its own only part. What is planned for a part comes back by `StagePart.announced`.

    draw of the start  ->  groups of stage 1  ->  played, complete  ->  the best, seeded  ->  groups of stage 2  -> ...

Rounds are numbered on from stage to stage, and boards from group to group: a round and board are one encounter of the
whole tournament. The pairings of a part keep the numbers that they have in the whole.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from attrs import evolve

from gameserver.tournaments.model import (
    Bye,
    Entrant,
    EntrantStatus,
    Pairing,
    Tournament,
    TournamentPhase,
)
from gameserver.tournaments.plan import Effect, Plan, Stage
from gameserver.values import value


@value
class StagePart:
    """A group of a stage as a tournament by itself, and the numbers that lead back to the whole one."""

    state: Tournament
    stage: int = 0
    """From 0."""
    group: int = 0
    """From 1; 0 where the stage is a single field."""
    after_round: int = 0
    after_board: int = 0

    def announced(self, pairing: Pairing) -> Pairing:
        """A pairing that was planned for this part, with its round and board in the whole tournament."""
        return self._moved(pairing, 1)

    def own(self, pairing: Pairing) -> Pairing:
        """A pairing of the whole tournament, with its round and board in this part."""
        return self._moved(pairing, -1)

    def rested(self, bye: Bye) -> Bye:
        """A bye that was planned for this part, with its round in the whole tournament."""
        return Bye(bye.round + self.after_round, bye.player)

    def _moved(self, pairing: Pairing, way: int) -> Pairing:
        if not self.after_round and not self.after_board:
            return pairing
        by_round, by_board = way * self.after_round, way * self.after_board
        return evolve(pairing, round=pairing.round + by_round, board=pairing.board + by_board)


def parts(tournament: Tournament, stage: int | None = None) -> tuple[StagePart, ...]:
    """The groups of a stage as tournaments by themselves, by default of the stage that the tournament is in."""
    if not tournament.has_parts:
        return (StagePart(tournament),)
    number = tournament.stage if stage is None else stage
    return tuple(_part(tournament, number, index) for index in range(len(tournament.draws[number].groups)))


def all_parts(tournament: Tournament) -> Iterator[StagePart]:
    """The groups of every stage that has begun as tournaments by themselves, in their order."""
    return (part for stage in range(tournament.stage + 1) for part in parts(tournament, stage))


def stage_alone(tournament: Tournament, stage: int) -> Tournament:
    """A stage that has begun as a tournament by itself; one in groups keeps them."""
    found, plan = parts(tournament, stage), tournament.plan
    name = f"{plan.name}: {plan.stages[stage]}"
    if not found[0].group:
        return evolve(found[0].state, plan=evolve(found[0].state.plan, name=name))
    following = plan.stages[stage:]
    states = [part.state for part in found]
    draw = tournament.draws[stage]
    own = (one for one in tournament.pairings if draw.has(one.round))
    return evolve(
        tournament,
        plan=evolve(plan, name=name, stages=following, format=following[0].format),
        phase=states[0].phase,
        entrants=tuple(
            evolve(one, number=number) for number, one in enumerate((e for s in states for e in s.entrants), start=1)
        ),
        pairings=tuple(evolve(one, round=one.round - draw.after_round) for one in own),
        byes=(),
        round=max(state.round for state in states),
        rounds=0,
        draws=(evolve(draw, after_round=0, last_round=None),),
    )


def part_of(tournament: Tournament, pairing: Pairing) -> StagePart:
    """The part of a tournament to which a pairing belongs, which is not of a stage that was voided."""
    if not tournament.has_parts:
        return StagePart(tournament)
    stage = stage_of(tournament, pairing)
    assert stage is not None, "nobody asks for the part of a stage that was voided"
    groups = tournament.draws[stage].groups
    return _part(tournament, stage, next(index for index, names in enumerate(groups) if pairing.seats[0] in names))


def stage_of(tournament: Tournament, pairing: Pairing) -> int | None:
    """The stage, from 0, to which a pairing belongs; None if that one was voided."""
    if not tournament.has_parts:
        return 0
    return next((stage for stage, draw in enumerate(tournament.draws) if draw.has(pairing.round)), None)


def _part(tournament: Tournament, stage: int, index: int) -> StagePart:
    draw = tournament.draws[stage]
    names = draw.groups[index]
    among, is_now = frozenset(names), stage == tournament.stage
    group = index + 1 if tournament.plan.stages[stage].group_size else 0
    boards = sum(len(before) // 2 for before in draw.groups[:index])
    part = StagePart(tournament, stage, group, draw.after_round, boards)
    # `_moved` gives the same objects where nothing moves: indexes of the pairings are updated by identity.
    pairings = tuple(part.own(one) for one in tournament.pairings if one.seats[0] in among and draw.has(one.round))
    byes = tuple(
        Bye(one.round - draw.after_round, one.player)
        for one in tournament.byes
        if one.player in among and draw.has(one.round)
    )
    played = max((*(one.round for one in pairings), *(bye.round for bye in byes)), default=0)
    state = evolve(
        tournament,
        plan=_plan_of(tournament.plan, stage),
        phase=tournament.phase if is_now else TournamentPhase.OVER,
        entrants=_entrants_of(tournament, stage, names),
        pairings=pairings,
        byes=byes,
        round=played,
        rounds=tournament.rounds if is_now else played,
        draws=(draw,),
    )
    return evolve(part, state=state)


# A planner's index is kept as long as these are the same objects; a plan's checks take longer than all the rest here.
_plan_of = lru_cache(maxsize=64)(Plan.of_stage)


def _entrants_of(tournament: Tournament, stage: int, names: tuple[str, ...]) -> tuple[Entrant, ...]:
    went_on = frozenset(tournament.draws[stage + 1].players) if stage < tournament.stage else frozenset()
    return _numbered(tournament.plan, stage, names, tournament.entrants, went_on)


@lru_cache(maxsize=64)
def _numbered(
    plan: Plan, stage: int, names: tuple[str, ...], entrants: tuple[Entrant, ...], went_on: frozenset[str]
) -> tuple[Entrant, ...]:
    """The entrants of a group by seed, with the status that they have there."""
    by_name = {one.name: one for one in entrants}
    found = (by_name[name] for name in names)
    return tuple(
        evolve(
            one,
            number=number,
            status=EntrantStatus.IN if one.name in went_on and _stands(plan, stage, one) else one.status,
            from_round=1 if stage else one.from_round,
        )
        for number, one in enumerate(found, start=1)
    )


def _stands(plan: Plan, stage: int, entrant: Entrant) -> bool:
    """True if the results of a player who went on stand, although the player was put out in a later stage."""
    # Only cheating reaches back: who leaves a knockout has played the groups to their end.
    effect = _plan_of(plan, stage).disqualification
    return entrant.status is not EntrantStatus.DISQUALIFIED or effect not in (Effect.ANNUL, Effect.REVERSE)


def grouped(names: Sequence[str], stage: Stage) -> tuple[tuple[str, ...], ...]:
    """Players in the order of their seeds, divided into the groups of a stage, whose sizes differ by one at most.

    Down the groups and up again: the sums of the seeds are as equal as they can be.
    """
    size = stage.group_size or max(1, len(names))
    # Never a group of one.
    count = max(1, min(-(-len(names) // size), len(names) // 2))
    groups: list[list[str]] = [[] for _ in range(count)]
    for index, name in enumerate(names):
        turn, place = divmod(index, count)
        groups[count - 1 - place if turn % 2 else place].append(name)
    return tuple(map(tuple, groups))

"""A tournament as everybody may see it: one immutable value for a page, a projector or a program.

`tournament_view` makes it of the tournament alone; what the lobby adds (its number, how long it has run,
which ranks the results tell apart) comes in as arguments. Nothing secret is in it: no seed, no label of
the dice. `as_json` gives the same in terms of JSON, with the names of the fields here:

    {"number": 1, "name": "Spring cup", "game": "Reversi", "format": "round-robin", "phase": "running",
     "round": 3, "rounds": 0, "done": 41, "playing": 6, "left": 19, "eta_ms": 93000, "pairings": [...],
     "standings": [{"rank": 1, "best": 1, "worst": 3, "group": 1, "name": "ann", "points": "7.5", ...}, ...],
     "tie_breaks": ["direct encounter", ...], "explanations": ["points", "direct encounter: ...", ...],
     "crosstable": [["*", "1½", ...], ...], "round_table": [], "opponents": [], "idle": [], "bracket": [...],
     "rulings": [...], ...}
"""

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from gameserver.tournaments.formats import knockout, round_robin
from gameserver.tournaments.formats.history import History
from gameserver.tournaments.model import (
    UNTIMED,
    Pairing,
    PairingStatus,
    Ruling,
    Timing,
    Tournament,
    TournamentPhase,
    Verdict,
)
from gameserver.tournaments.output.arena import ArenaView, arena_view
from gameserver.tournaments.output.podium_race import bracket_chances, podium_race
from gameserver.tournaments.output.progress import least_done, left_ms, progress
from gameserver.tournaments.output.result_lines import IdleRound, idle_rounds, walkover_reason
from gameserver.tournaments.output.shared_dice import sharing_dice, warnings
from gameserver.tournaments.plan import BRACKET_FORMATS, EFFECTS, Effect, Format
from gameserver.tournaments.scoring.crosstable import (
    OpponentScore,
    RoundCell,
    crosstable,
    opponent_scores,
    round_table,
)
from gameserver.tournaments.scoring.standings import StandingsRow, explanations, standings
from gameserver.values import value

RESULTS = {Verdict.FIRST: "1-0", Verdict.SECOND: "0-1", Verdict.DRAW: "½-½", Verdict.BOTH_LOSE: "0-0"}
_UNPLAYED = {Verdict.FIRST: "+/-", Verdict.SECOND: "-/+", Verdict.DRAW: "=/=", Verdict.BOTH_LOSE: "-/-"}


@value
class Separation:
    """Which ranks the results tell apart.

    For each player the best and the worst rank that it may stand for, in the order of the standings;
    and the groups of neighbours whom the results do not separate.
    """

    intervals: Mapping[str, tuple[int, int]]
    groups: Sequence[Sequence[str]]


NOT_SEPARATED = Separation({}, ())


@value
class StandingView:
    """A line of the standings. `rank`, `best` and `worst` are None for a player without a rank.

    `group` counts from 1: those in one group are not told apart by the results. 0: not worked out.
    """

    rank: int | None
    best: int | None
    worst: int | None
    group: int
    name: str
    points: str
    played: int
    wins: int
    draws: int
    losses: int
    unplayed: int
    tie_breaks: tuple[str, ...]
    note: str
    why: str
    playing: int | None
    """The pairing that is being played, not one that is only announced; for a house player, one of them."""
    to_play: int
    """The games of a round robin or gauntlet that the player has yet to begin; 0 in other formats."""
    chances: str
    """While games are played: `at risk` for a place on the podium that one win of another reaches, and `chasing` for
    that other. In a knockout: `in`, `last` for a player who is out with the next loss but was not with the first, and
    `out`. Otherwise empty."""


@value
class PairingView:
    """A pairing. `match` is the lobby's number of its match, live or on record; `result` is empty while it is open."""

    number: int
    round: int
    board: int
    game: int
    stage: str
    """In a knockout: `Semi-final`. Empty otherwise."""
    first: str
    second: str
    status: str
    match: int | None
    result: str
    reason: str
    absent: tuple[str, ...]
    same_dice: bool
    """True if another game of these two has the same dice, code or opening."""
    side_by_side: bool
    """True if those two began together; otherwise the later one's dice were known."""


@value
class SourceView:
    """Where a player of a node comes from: `kind` is `seed`, or the `winner` or `loser` of a node.

    `number` is that of the seed or of the node.
    """

    kind: str
    number: int


@value
class NodeView:
    """An encounter of a knockout's tree. A player is None while nobody knows, and empty where there is nobody.

    `number` is the node's place in `TournamentView.bracket`, from 1. `part` is `winners`, `losers`, `final` (the grand
    final of a double elimination and its decider) or `third place`. `note` says why there is no score, or why it does
    not name the winner: `bye`, `empty` (no players at all), `walkover`, `better seed`, `if needed`, `not needed`.
    """

    round: int
    board: int
    stage: str
    first: str | None
    second: str | None
    score: str
    winner: str | None
    number: int
    part: str
    sources: tuple[SourceView, SourceView]
    wins: tuple[int, int]
    note: str
    is_playing: bool


@value
class TournamentSummary:
    """A tournament in a line. `left` and `eta_ms` are None where nobody can tell, as before the first result."""

    number: int
    name: str
    game: str
    format: str
    phase: str
    round: int
    rounds: int
    players: int
    done: int
    playing: int
    left: int | None
    eta_ms: int | None
    held: int
    """Number of games that wait for the teacher to decide."""
    has_rounds: bool
    """True if one round is played after the other. Elsewhere `round` is the latest of which any game has begun."""
    least_done: int
    """The number of games that every player who is in has behind them, no-shows included."""
    games: int
    """The number of games that two who are paired play in a row, at most in a knockout."""

    @property
    def format_words(self) -> str:
        """The format for people."""
        return format_words(self.format, self.games)


@value
class TournamentView(TournamentSummary):
    """The whole, for a page."""

    announced: int
    """Number of games that wait for their players. They are not being played."""
    tie_breaks: tuple[str, ...]
    explanations: tuple[str, ...]
    standings: tuple[StandingView, ...]
    crosstable: tuple[tuple[str, ...], ...]
    """A row and a column for each line of the standings. Empty in a Swiss and an arena, where few meet."""
    round_table: tuple[tuple[RoundCell | None, ...], ...]
    """In a Swiss, a row for each line of the standings, with a cell for each round."""
    opponents: tuple[tuple[OpponentScore, ...], ...]
    """In an arena, the opponents of each line of the standings."""
    pairings: tuple[PairingView, ...]
    """Every one, in the order of their numbers."""
    bracket: tuple[NodeView, ...]
    idle: tuple[IdleRound, ...]
    """Byes, and rounds before a late entry."""
    rulings: tuple[Ruling, ...]
    withdrawal: str
    disqualification: str
    warnings: tuple[str, ...]
    """Sentences to be read before the results are believed, such as that dice are known beforehand."""
    arena: ArenaView | None = None
    """Set for an arena only."""

    @property
    def live(self) -> tuple[PairingView, ...]:
        """The pairings that are being played now."""
        return tuple(pairing for pairing in self.pairings if pairing.status == "playing")


def tournament_view(
    tournament: Tournament,
    *,
    number: int = 0,
    timing: Timing = UNTIMED,
    separation: Separation = NOT_SEPARATED,
) -> TournamentView:
    """Make the view of a tournament. With some thousand results it takes a tenth of a second."""
    plan = tournament.plan
    rows = standings(tournament)
    summary = tournament_summary(tournament, number=number, timing=timing)
    has_tree = plan.is_bracket and tournament.phase is not TournamentPhase.GATHERING
    nodes = knockout.nodes_now(History.of(tournament)) if has_tree else []
    stages, shared = knockout.stages(tournament), sharing_dice(tournament)
    playing = (pairing for pairing in tournament.pairings if pairing.status is PairingStatus.PLAYING)
    at_play = {name: pairing.number for pairing in playing for name in pairing.seats}
    to_play = _to_play(tournament) if plan.has_fixtures and tournament.phase is not TournamentPhase.GATHERING else {}
    chances = bracket_chances(tournament, nodes) if plan.is_bracket else podium_race(tournament, rows)
    return TournamentView(
        **attrs.asdict(summary),
        announced=sum(pairing.status is PairingStatus.ANNOUNCED for pairing in tournament.pairings),
        tie_breaks=tuple(kind.value for kind in plan.tie_breaks),
        explanations=explanations(tournament),
        standings=tuple(_line(row, separation, at_play, chances, to_play.get(row.name, 0)) for row in rows),
        crosstable=() if plan.format in (Format.SWISS, Format.ARENA) else crosstable(tournament, rows),
        round_table=round_table(tournament, rows) if plan.format is Format.SWISS else (),
        opponents=opponent_scores(tournament, rows) if plan.format is Format.ARENA else (),
        pairings=tuple(_pairing(tournament, pairing, stages, shared) for pairing in tournament.pairings),
        bracket=tuple(_node(number, now) for number, now in enumerate(nodes, start=1)),
        idle=idle_rounds(tournament),
        rulings=tournament.rulings,
        withdrawal=_effect(plan.withdrawal),
        disqualification=_effect(plan.disqualification),
        warnings=warnings(tournament),
        arena=arena_view(tournament, timing.now_ms),
    )


def tournament_summary(tournament: Tournament, *, number: int = 0, timing: Timing = UNTIMED) -> TournamentSummary:
    """A tournament in a line; fast, whatever its size."""
    plan, so_far = tournament.plan, progress(tournament)
    return TournamentSummary(
        number=number,
        name=plan.name,
        game=plan.game,
        format=plan.format.value,
        phase=tournament.phase.value,
        round=tournament.round,
        rounds=tournament.rounds,
        players=len(tournament.entrants),
        done=so_far.done,
        playing=so_far.playing,
        left=so_far.left,
        eta_ms=left_ms(tournament, timing),
        held=len(tournament.held),
        has_rounds=plan.has_rounds,
        least_done=least_done(tournament),
        games=plan.games,
    )


def format_words(name: str, games: int) -> str:
    """A format for people, by its name: `double elimination, best of 3`."""
    best_of = f", best of {games}" if name in BRACKET_FORMATS and games > 1 else ""
    return f"{name.replace('-', ' ')}{best_of}"


def as_json(view: TournamentSummary) -> dict[str, Any]:
    """A view or a summary in terms of JSON."""
    return attrs.asdict(view)


def _effect(effect: Effect) -> str:
    return EFFECTS[effect]


def _to_play(tournament: Tournament) -> Mapping[str, int]:
    """The games of a round robin or gauntlet that each player has yet to begin."""
    left = {name: games.total() for name, games in round_robin.games_left(tournament).items()}
    for pairing in tournament.pairings:
        if pairing.status is PairingStatus.PLAYING:
            for name in pairing.seats:
                left[name] = max(0, left.get(name, 0) - 1)
    return left


def _line(
    row: StandingsRow, separation: Separation, at_play: Mapping[str, int], chances: Mapping[str, str], to_play: int
) -> StandingView:
    best, worst = separation.intervals.get(row.name, (None, None)) if row.rank is not None else (None, None)
    group = next((count for count, names in enumerate(separation.groups, start=1) if row.name in names), 0)
    return StandingView(
        rank=row.rank,
        best=best,
        worst=worst,
        group=group,
        name=row.name,
        points=row.points_text,
        played=row.played,
        wins=row.wins,
        draws=row.draws,
        losses=row.losses,
        unplayed=row.unplayed,
        tie_breaks=row.tie_breaks,
        note=row.note,
        why=row.why,
        playing=at_play.get(row.name),
        to_play=to_play,
        chances=chances.get(row.name, ""),
    )


def _pairing(
    tournament: Tournament, pairing: Pairing, stages: Mapping[tuple[int, int], str], shared: Mapping[int, bool]
) -> PairingView:
    words = RESULTS if pairing.played else _UNPLAYED
    return PairingView(
        number=pairing.number,
        round=pairing.round,
        board=pairing.board,
        game=pairing.game,
        stage=stages.get((pairing.round, pairing.board), ""),
        first=pairing.seats[0],
        second=pairing.seats[1],
        status=pairing.status.value,
        match=pairing.match,
        result="" if pairing.verdict is None else words[pairing.verdict],
        reason=pairing.reason or walkover_reason(tournament, pairing),
        absent=pairing.absent,
        same_dice=pairing.number in shared,
        side_by_side=shared.get(pairing.number, False),
    )


def _node(number: int, now: knockout.NodeNow) -> NodeView:
    wins = [0, 0]
    for pairing in now.games:
        if pairing.verdict in (Verdict.FIRST, Verdict.SECOND):
            winner = pairing.seats[pairing.verdict is Verdict.SECOND]
            wins[winner != now.players[0]] += 1
    place = now.node.place
    return NodeView(
        round=place[0],
        board=place[1],
        stage=now.node.stage,
        first=now.players[0],
        second=now.players[1],
        score=f"{wins[0]}-{wins[1]}" if now.games else "",
        winner=now.winner,
        number=number,
        part=now.node.part.value,
        sources=(_source(now.node.first), _source(now.node.second)),
        wins=(wins[0], wins[1]),
        note=_note(now, wins),
        is_playing=any(pairing.status is PairingStatus.PLAYING for pairing in now.games),
    )


def _source(source: knockout.Source) -> SourceView:
    """The source; the nodes that it counts from 0 are numbered from 1."""
    number = source.index if source.kind is knockout.From.SEED else source.index + 1
    return SourceView(source.kind.value, number)


def _note(now: knockout.NodeNow, wins: Sequence[int]) -> str:
    if now.players == (knockout.NOBODY, knockout.NOBODY):
        return "empty"
    if knockout.NOBODY in now.players:
        return "bye"
    if now.node.decider and not now.games:
        return "if needed" if now.winner is None else "not needed"
    if any(pairing.walkover for pairing in now.games):
        return "walkover"
    return "better seed" if now.winner is not None and wins[0] == wins[1] else ""

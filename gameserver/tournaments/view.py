"""A tournament as everybody may see it: one immutable value for a page, a projector or a program.

`tournament_view` makes it of the tournament alone; what the lobby adds (its number, how long it has run, which ranks
the results tell apart) comes in as arguments. Nothing secret is in it: no seed before its time, no label of
the dice. `as_json` gives the same in terms of JSON, with the names of the fields here:

    {"number": 1, "name": "Spring cup", "game": "Reversi", "format": "round-robin", "phase": "running",
     "round": 3, "rounds": 0, "done": 41, "playing": 6, "left": 19, "eta_ms": 93000, "pairings": [...],
     "standings": [{"rank": 1, "best": 1, "worst": 3, "group": 1, "name": "ann", "points": "7.5", ...}, ...],
     "tie_breaks": ["direct encounter", ...], "explanations": ["points", "direct encounter: ...", ...],
     "crosstable": [["*", "1½", ...], ...], "round_table": [], "opponents": [], "idle": [], "bracket": [...],
     "rulings": [...], ...}

An arena has beside its standings the time that is left, and the players who win game after game.

The list of results has every one that counts, with or without a game: the points of a player are its sum. Pairings
alone do not add up to the standings. A player who is out may owe games that nobody announced, a disqualification may
turn results round or strike them out, and a bye or a round before a late entry has one player.

Games that share their dice come with a warning of what that gives away. With `same_chance` the two games of a pair, one
in each seat order, have the same dice, code or opening, which takes luck out of the comparison. It is fair only if both
begin before either has shown a draw. A player's protocol carries one match at a time, so the games of people follow
each other, and a bot that keeps the rolls of the first game knows those of the second. House players keep nothing, and
have any number of matches at once: where only they take part, both games begin together.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs

from gameserver.tournaments import knockout, round_robin
from gameserver.tournaments.history import History
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
from gameserver.tournaments.plan import BRACKET_FORMATS, EFFECTS, Format, TieBreak, stages_text
from gameserver.tournaments.progress import bracket_chances, least_done, left_ms, podium_race, progress
from gameserver.tournaments.stages import StagePart, all_parts, parts
from gameserver.tournaments.standings import (
    WIN,
    Counted,
    Ledger,
    OpponentScore,
    RoundCell,
    ScoreShare,
    StandingsRow,
    counted_games,
    crosstable,
    explanations,
    in_units,
    opponent_scores,
    points_of,
    round_table,
    standings,
)
from gameserver.tournaments.teams import TeamRow, team_rules, team_standings
from gameserver.values import value

WARNING = (
    "same_chance: where the game has dice, both games of a pair have the same, and the second follows the first. "
    "A bot that keeps the rolls of its first game knows those of the second."
)
RESULTS = {Verdict.FIRST: "1-0", Verdict.SECOND: "0-1", Verdict.DRAW: "½-½", Verdict.BOTH_LOSE: "0-0"}
_UNPLAYED = {Verdict.FIRST: "+/-", Verdict.SECOND: "-/+", Verdict.DRAW: "=/=", Verdict.BOTH_LOSE: "-/-"}
_RESULTS = ("loss", "draw", "win")
_BUCHHOLZ = frozenset({TieBreak.BUCHHOLZ, TieBreak.BUCHHOLZ_CUT_1, TieBreak.BUCHHOLZ_CUT_2, TieBreak.MEDIAN_BUCHHOLZ})
_STREAK_WINS_MIN = 2
"""One win is no streak."""


@value
class PairingView:
    """A pairing in a tournament's public view.

    `match` is the lobby's number of its match, live or on record; `result` is empty while it is open.
    """

    number: int
    round: int
    board: int
    game: int
    round_name: str
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
class NodeView:
    """An encounter of a knockout's tree in the view.

    A player is None while nobody knows, and empty where there is nobody.

    `number` is the node's place in `TournamentView.bracket`, from 1. `part` is `winners`, `losers`, `final` (the grand
    final of a double elimination and its decider) or `third place`. `note` says why there is no score, or why it does
    not name the winner: `bye`, `empty` (no players at all), `walkover`, `better seed`, `if needed`, `not needed`.
    """

    round: int
    board: int
    round_name: str
    first: str | None
    second: str | None
    score: str
    winner: str | None
    number: int
    part: str
    sources: tuple[knockout.Source, knockout.Source]
    wins: tuple[int, int]
    note: str
    is_playing: bool


@value
class StreakView:
    """A streak in the view of an arena: games won in play since any other result, and the points that they brought."""

    player: str
    wins: int
    points: str


@value
class ArenaView:
    """The part of a tournament's view that only an arena has: its clock and its streaks."""

    ends_ms: int | None
    """The end, on the server's axis of time; None while the arena's clock stands."""
    left_ms: int
    """The time left when the view was made."""
    worth: tuple[str, str, str]
    """The points for a win, a draw and a loss."""
    streaks: tuple[StreakView, ...]
    """The longest first."""


@value
class IdleRound:
    """A round without an opponent in a tournament's view: a bye, or a round before a late entry."""

    round: int
    player: str
    kind: str
    """`bye` or `late entry`."""
    points: str
    virtual_points: str
    """The points of the virtual opponent that Buchholz counts for it, as of now; empty without such a tie-break."""

    @property
    def words(self) -> str:
        """The view's words for a round without opponent: `bye, 1 point; in Buchholz a virtual opponent with 2.5`."""
        counted = f"; in Buchholz a virtual opponent with {_points_words(self.virtual_points)}"
        return f"{self.kind}, {_points_words(self.points)}{counted if self.virtual_points else ''}"


@value
class TournamentSummary:
    """The view of a tournament in a line.

    `left` and `eta_ms` are None where nobody can tell, as before the first result.
    """

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
    stages_text: str
    """The stages in a line, if there are several; `format` and `games` are those of the stage that is on."""

    @property
    def format_words(self) -> str:
        """The format of a tournament's view, for people."""
        return self.stages_text or format_words(self.format, self.games)


@value
class TournamentView(TournamentSummary):
    """The public view of a whole tournament, for its page, the projector and programs."""

    announced: int
    """Number of games that wait for their players. They are not being played."""
    tie_breaks: tuple[str, ...]
    explanations: tuple[str, ...]
    standings: tuple[StandingsRow, ...]
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
    clock: str
    """The players' time as it is written; empty for the server's own."""
    warnings: tuple[str, ...]
    """Sentences to be read before the results are believed, such as that dice are known beforehand."""
    commitment: str
    """The SHA-256 of the seed from which lots and dice follow."""
    seed: str
    """Empty until it is told."""
    arena: ArenaView | None = None
    """Set for an arena only."""
    upset: tuple[int, int] | None = None
    """The game won over the opponent who was rated higher by most at the start, by its number, and by how many points.

    None if no player was beaten by one rated lower.
    """
    stages: tuple["_StageView", ...] = ()
    """Those that have begun; empty for a tournament of one stage."""
    teams: tuple[TeamRow, ...] = ()
    """The team standings; empty if no player has a team."""
    team_rules: str = ""
    """The rule of the team standings in a sentence; empty if there are none."""

    @property
    def live(self) -> tuple[PairingView, ...]:
        """The pairings of a tournament's view that are being played now."""
        return tuple(pairing for pairing in self.pairings if pairing.status == "playing")


@value
class _StageView:
    """A stage that has begun, in the view of a tournament of several: its groups, each as a tournament by itself."""

    name: str
    """As the plan has it: `groups of 4, best 2`."""
    best: int
    """The players of each group who go on; 0 in the last stage."""
    groups: tuple[TournamentView, ...]
    """Without the pairings, which the whole tournament has."""


@value
class Separation:
    """The ranks of a tournament's view that the results tell apart.

    For each player the best and the worst rank that it may stand for, in the order of the standings;
    and the groups of neighbours whom the results do not separate.
    """

    intervals: Mapping[str, tuple[int, int]]
    groups: Sequence[Sequence[str]]


NOT_SEPARATED = Separation({}, ())


@value
class ResultLine:
    """A line of the view's list of results. `points` are in the plan's units, for each player; a bye has one player."""

    kind: str
    """`game` if it was announced, `owed` if not, because a player was out; `bye`; `missed` before a late entry."""
    round: int
    players: tuple[str, ...]
    results: tuple[str, ...]
    points: tuple[int, ...]
    played: bool
    reason: str
    pairing: int | None = None
    match: int | None = None
    game: int = 0
    """Its place among the games of its encounter, from 1; 0 without an opponent."""


def tournament_view(
    tournament: Tournament,
    *,
    number: int = 0,
    timing: Timing = UNTIMED,
    separation: Separation = NOT_SEPARATED,
    is_seed_told: bool = False,
) -> TournamentView:
    """Make the public view of a tournament. With some thousand results it takes a tenth of a second."""
    # Of a tournament of stages, what goes by its format is that of the stage that is on.
    now = parts(tournament)
    plan = now[0].state.plan
    rows = standings(tournament)
    summary = tournament_summary(tournament, number=number, timing=timing)
    has_tree = plan.is_bracket and tournament.phase is not TournamentPhase.GATHERING
    nodes = knockout.nodes_now(History.of(now[0].state)) if has_tree else []
    round_names, shared = knockout.round_names(tournament), _sharing_dice(tournament)
    is_by_rounds = plan.format is Format.SWISS or plan.team_boards > 0
    has_few_meetings = tournament.has_parts or is_by_rounds or plan.format is Format.ARENA
    playing = (pairing for pairing in tournament.pairings if pairing.status is PairingStatus.PLAYING)
    at_play = {name: pairing.number for pairing in playing for name in pairing.seats}
    has_fixtures = plan.has_fixtures and tournament.phase is not TournamentPhase.GATHERING
    to_play = {name: games for part in now if has_fixtures for name, games in _to_play(part.state).items()}
    chances = bracket_chances(now[0].state, nodes) if plan.is_bracket else podium_race(tournament, rows)
    return TournamentView(
        **attrs.asdict(summary),
        announced=sum(pairing.status is PairingStatus.ANNOUNCED for pairing in tournament.pairings),
        tie_breaks=() if tournament.has_parts else tuple(kind.value for kind in plan.tie_breaks),
        explanations=explanations(tournament),
        standings=tuple(_with_chances(row, separation, at_play, chances, to_play.get(row.name, 0)) for row in rows),
        # In a Swiss the square was nearly empty, and a cell of an arena had thirty results.
        crosstable=() if has_few_meetings else crosstable(tournament, rows),
        round_table=round_table(tournament, rows) if is_by_rounds and not tournament.has_parts else (),
        opponents=opponent_scores(tournament, rows) if plan.format is Format.ARENA else (),
        pairings=tuple(_pairing(tournament, pairing, round_names, shared) for pairing in tournament.pairings),
        bracket=tuple(_node(number, now) for number, now in enumerate(nodes, start=1)),
        idle=idle_rounds(tournament),
        rulings=tournament.rulings,
        withdrawal=EFFECTS[plan.withdrawal],
        disqualification=EFFECTS[plan.disqualification],
        clock=plan.clock_text,
        warnings=warnings(tournament),
        commitment=tournament.commitment,
        seed=tournament.seed if is_seed_told else "",
        arena=arena_view(tournament, timing.now_ms),
        upset=_upset(tournament),
        stages=_stages(tournament),
        teams=team_standings(tournament),
        team_rules=team_rules(tournament),
    )


def _stages(tournament: Tournament) -> tuple[_StageView, ...]:
    if not tournament.has_parts:
        return ()
    stages = tournament.plan.stages[: tournament.stage + 1]
    return tuple(
        _StageView(str(stage), stage.best, tuple(map(_group, parts(tournament, number))))
        for number, stage in enumerate(stages)
    )


def _group(part: StagePart) -> TournamentView:
    view = tournament_view(part.state, number=part.group)
    return attrs.evolve(view, pairings=(), rulings=(), upset=None)


def _upset(tournament: Tournament) -> tuple[int, int] | None:
    ratings = {entrant.name: entrant.rating for entrant in tournament.entrants}
    leads: dict[int, int] = {}
    for one in tournament.pairings:
        if one.played and one.verdict in (Verdict.FIRST, Verdict.SECOND):
            first, second = (ratings.get(name, 0) for name in one.seats)
            if first and second:
                leads[one.number] = second - first if one.verdict is Verdict.FIRST else first - second
    most = max(leads, key=lambda number: leads[number], default=None)
    return None if most is None or leads[most] <= 0 else (most, leads[most])


def tournament_summary(tournament: Tournament, *, number: int = 0, timing: Timing = UNTIMED) -> TournamentSummary:
    """Make the view of a tournament in a line. With 60 players in a double round robin it takes 15 ms."""
    plan, so_far = parts(tournament)[0].state.plan, progress(tournament)
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
        stages_text=stages_text(tournament.plan.stages),
    )


def format_words(name: str, games: int) -> str:
    """Words the format for everybody's view of a tournament: `double elimination, best of 3`."""
    best_of = f", best of {games}" if name in BRACKET_FORMATS and games > 1 else ""
    return f"{name.replace('-', ' ')}{best_of}"


def as_json(view: TournamentSummary) -> dict[str, Any]:
    """A tournament's view or summary in terms of JSON."""
    # Programs are given points as people read them; the plan's units are ours.
    return attrs.asdict(view, filter=lambda attribute, _: attribute.name != "units")


def _to_play(tournament: Tournament) -> Mapping[str, int]:
    """The games of a round robin or gauntlet that each player has yet to begin."""
    left = {name: games.total() for name, games in round_robin.games_left(tournament).items()}
    for pairing in tournament.pairings:
        if pairing.status is PairingStatus.PLAYING:
            for name in pairing.seats:
                left[name] = max(0, left.get(name, 0) - 1)
    return left


def _with_chances(
    row: StandingsRow, separation: Separation, at_play: Mapping[str, int], chances: Mapping[str, str], to_play: int
) -> StandingsRow:
    best, worst = separation.intervals.get(row.name, (None, None)) if row.rank is not None else (None, None)
    return attrs.evolve(
        row,
        best=best,
        worst=worst,
        group=next((count for count, names in enumerate(separation.groups, start=1) if row.name in names), 0),
        playing=at_play.get(row.name),
        to_play=to_play,
        chances=chances.get(row.name, ""),
    )


def _pairing(
    tournament: Tournament, pairing: Pairing, round_names: Mapping[tuple[int, int], str], shared: Mapping[int, bool]
) -> PairingView:
    words = RESULTS if pairing.played else _UNPLAYED
    return PairingView(
        number=pairing.number,
        round=pairing.round,
        board=pairing.board,
        game=pairing.game,
        round_name=round_names.get((pairing.round, pairing.board), ""),
        first=pairing.seats[0],
        second=pairing.seats[1],
        status=pairing.status.value,
        match=pairing.match,
        result="" if pairing.verdict is None else words[pairing.verdict],
        reason=pairing.reason or _walkover_reason(tournament, pairing),
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
        round_name=now.node.round_name,
        first=now.players[0],
        second=now.players[1],
        score=f"{wins[0]}-{wins[1]}" if now.games else "",
        winner=now.winner,
        number=number,
        part=now.node.part.value,
        sources=(now.node.first, now.node.second),
        wins=(wins[0], wins[1]),
        note=_note(now, wins),
        is_playing=any(pairing.status is PairingStatus.PLAYING for pairing in now.games),
    )


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


def arena_view(tournament: Tournament, now_ms: int) -> ArenaView | None:
    """Make the arena's part of a tournament's view; None for a tournament of another format."""
    plan = tournament.plan
    if plan.format is not Format.ARENA:
        return None
    scoring = plan.scoring
    return ArenaView(
        ends_ms=tournament.ends_ms,
        left_ms=_left_ms(tournament, now_ms),
        worth=(
            in_units(scoring.win, scoring.unit),
            in_units(scoring.draw, scoring.unit),
            in_units(scoring.loss, scoring.unit),
        ),
        streaks=_streaks(tournament),
    )


def _left_ms(tournament: Tournament, now_ms: int) -> int:
    if tournament.phase is TournamentPhase.GATHERING:
        return tournament.plan.duration_ms
    if tournament.ends_ms is None:
        return tournament.left_ms
    return max(0, tournament.ends_ms - now_ms)


def _streaks(tournament: Tournament) -> tuple[StreakView, ...]:
    scoring, shares = tournament.plan.scoring, Ledger.of(tournament).shares
    wins = {entrant.name: _wins_running(shares[entrant.name]) for entrant in tournament.active}
    return tuple(
        StreakView(name, wins[name], in_units(wins[name] * scoring.win, scoring.unit))
        for name in sorted(wins, key=lambda name: -wins[name])
        if wins[name] >= _STREAK_WINS_MIN
    )


def _wins_running(shares: tuple[ScoreShare, ...]) -> int:
    """The games won since any other result. A win because the opponent did not come neither counts nor ends them."""
    count = 0
    for share in reversed(shares):
        if share.halves != WIN:
            break
        count += share.seat is not None
    return count


def _points_words(points: str) -> str:
    return f"{points} {'point' if points == '1' else 'points'}"


def idle_rounds(tournament: Tournament) -> tuple[IdleRound, ...]:
    """The rounds in which players of a tournament had no opponent, for its view, in their order."""
    if not tournament.byes and all(entrant.from_round == 1 for entrant in tournament.entrants):
        return ()
    if tournament.has_parts:
        return tuple(
            attrs.evolve(one, round=one.round + part.after_round)
            for part in all_parts(tournament)
            for one in idle_rounds(part.state)
        )
    plan, scoring, own = tournament.plan, tournament.plan.scoring, Ledger.of(tournament).points
    has_buchholz = not _BUCHHOLZ.isdisjoint(plan.tie_breaks)

    def idle(number: int, player: str, kind: str, points: int) -> IdleRound:
        virtual = in_units(own[player], scoring.unit) if has_buchholz else ""
        return IdleRound(number, player, kind, in_units(points * plan.games, scoring.unit), virtual)

    late = (
        idle(number, entrant.name, "late entry", scoring.missed)
        for entrant in tournament.entrants
        for number in range(1, entrant.from_round)
    )
    byes = (idle(bye.round, bye.player, "bye", scoring.bye) for bye in tournament.byes)
    return tuple(sorted((*byes, *late), key=lambda one: one.round))


def result_lines(tournament: Tournament) -> tuple[ResultLine, ...]:
    """The results of a tournament that count, for its view, in the order of the rounds."""
    return tuple(sorted(_lines(tournament), key=lambda line: (line.round, line.pairing is None, line.pairing or 0)))


def _walkover_reason(tournament: Tournament, pairing: Pairing) -> str:
    """The players who were out, for a pairing that was decided by it; empty for others."""
    # The winner may have left since, in this stage or a later one.
    lost: dict[Verdict | None, tuple[str, ...]] = {Verdict.FIRST: pairing.seats[1:], Verdict.SECOND: pairing.seats[:1]}
    return _out(tournament, lost.get(pairing.verdict, pairing.seats)) if pairing.walkover else ""


def _out(tournament: Tournament, names: tuple[str, ...]) -> str:
    entrants = (tournament.entrant(name) for name in names)
    out = [f"{one.name} {one.status}" for one in entrants if one is not None and one.is_out]
    return ", ".join(out) or "a player was out"


def _lines(tournament: Tournament) -> Iterator[ResultLine]:
    if tournament.has_parts:
        for part in all_parts(tournament):
            yield from (attrs.evolve(line, round=line.round + part.after_round) for line in _lines(part.state))
        return
    scoring, games = tournament.plan.scoring, tournament.plan.games
    for counted in counted_games(tournament):
        yield _of_game(tournament, counted)
    for bye in tournament.byes:
        for _ in range(games):
            yield ResultLine("bye", bye.round, (bye.player,), ("bye",), (scoring.bye,), played=False, reason="bye")
    for entrant in tournament.entrants:
        for number in range(1, entrant.from_round):
            for _ in range(games):
                yield ResultLine(
                    "missed", number, (entrant.name,), ("missed",), (scoring.missed,), played=False, reason="late entry"
                )


def _of_game(tournament: Tournament, counted: Counted) -> ResultLine:
    pairing = counted.pairing
    points = tuple(points_of(tournament.plan.scoring, halves) for halves in counted.halves)
    results = tuple(_RESULTS[halves] for halves in counted.halves)
    line = ResultLine("owed", counted.round, counted.players, results, points, counted.played, "", game=counted.game)
    if pairing is None:
        return attrs.evolve(line, reason=_out(tournament, counted.players))
    reason = pairing.reason or _walkover_reason(tournament, pairing)
    if pairing.absent:
        reason = f"{reason}: {', '.join(pairing.absent)}"
    return attrs.evolve(line, kind="game", reason=reason, pairing=pairing.number, match=pairing.match)


def warnings(tournament: Tournament) -> tuple[str, ...]:
    """The warnings of a tournament's view, about dice that are known beforehand, to be read before its results."""
    plan = tournament.plan
    if not plan.same_chance:
        return ()
    is_drawn = tournament.phase is not TournamentPhase.GATHERING
    if is_drawn and plan.has_fixtures and all(entrant.house for entrant in tournament.entrants):
        return ()
    return (WARNING,)


def _sharing_dice(tournament: Tournament) -> Mapping[int, bool]:
    """The pairings, by number, that have their dice in common with another one that counts or may still count.

    The value is True if all of them began together. The replay of a voided game begins after its counterpart.
    """
    sharing: dict[str, list[Pairing]] = {}
    for pairing in tournament.pairings:
        if pairing.status is not PairingStatus.VOID and pairing.chance:
            sharing.setdefault(pairing.chance, []).append(pairing)
    return {
        pairing.number: all(one.side_by_side for one in games)
        for games in sharing.values()
        if len(games) > 1
        for pairing in games
    }

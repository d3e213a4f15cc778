"""Whole tournaments over real sockets: from the teacher's start to the last result that a bot hears of.

    league   a double round robin: whoever is free plays on
    swiss    rounds: everybody waits for the last result, after which the next round is paired

The pauses between matches are off. The baseline is what the same bots need for as many games out of the queue,
where nobody plans or counts anything: what is left is the tournament's own.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from attrs import evolve, frozen

from gameserver.admin.client import AdminClient
from gameserver.admin.token_file import access_file, read_access
from tests.benchmarks.generator import Loop, loop, now_s
from tests.benchmarks.load import medians
from tests.benchmarks.measuring import spent_s
from tests.benchmarks.plan import Plan, note
from tests.benchmarks.processes import BenchmarkError, Running, gameserver, running
from tests.benchmarks.report import Figures, Row
from tests.benchmarks.tournament_bots import Course, TournamentBot, all_have_played, gathered_bots

TIMEOUT_S = 600.0
GAME = "Tic-tac-toe"
SWISS_GAMES = 2
"""Games of each pairing of the preset."""


@frozen
class Contest:
    """A tournament to hold."""

    preset: str
    bots: int
    rounds: int
    """The rounds of a Swiss; 0 where nobody waits for a round's end."""
    games: int
    what: str


def measure(plan: Plan) -> list[Row]:
    """Each tournament and the queue, in turns."""
    games = plan.league_bots * (plan.league_bots - 1)
    league = f"double round robin of {plan.league_bots} bots at {GAME}, {games} games"
    rounds = plan.swiss_rounds
    swiss_games = rounds * plan.swiss_bots // 2 * SWISS_GAMES
    swiss = f"Swiss of {plan.swiss_bots} bots in {rounds} rounds at {GAME}, {swiss_games} games"
    return [
        _row(plan, Contest("league", plan.league_bots, 0, games, league)),
        _row(plan, Contest("swiss", plan.swiss_bots, rounds, swiss_games, swiss)),
    ]


def _row(plan: Plan, contest: Contest) -> Row:
    held: list[Figures] = []
    queued: list[Figures] = []
    for number in range(plan.rounds):
        for is_held, rounds in ((True, held), (False, queued)):
            note(f"{contest.what}, round {number + 1}: {'the tournament' if is_held else 'out of the queue'}")
            rounds.append(_round(plan, contest, is_held=is_held))
    rounds_of = {"tournament": held, "queue": queued}
    return Row("tournament", contest.what, medians(held), medians(queued), rounds_of)


def _round(plan: Plan, contest: Contest, *, is_held: bool) -> Figures:
    with TemporaryDirectory() as directory:
        subject = gameserver(Path(directory))
        subject = evolve(subject, command=(*subject.command, "--listen", "admin=127.0.0.1:0"))
        with running(subject, Path(directory), plan.cores) as process, loop() as working:
            course = Course()
            bots = gathered_bots(process, contest.bots, working, course, game=GAME, seeks=not is_held)
            admin = AdminClient(read_access(access_file(str(Path(directory) / "data.sqlite3"))))
            if is_held:
                changes = {"pause_ms": 0} | ({"rounds": contest.rounds} if contest.rounds else {})
                admin.post("tournaments", preset=contest.preset, name="benchmark", game=GAME, changes=changes)
            begin = (lambda: admin.post("tournaments", "1", "start")) if is_held else lambda: _seek(bots)
            figures = _timed(process, working, bots, course, contest, begin)
            if is_held:
                _check(admin, contest)
                figures |= _gaps(course, contest)
    return figures


def _seek(bots: Sequence[TournamentBot]) -> None:
    for bot in bots:
        bot.seek()


def _check(admin: AdminClient, contest: Contest) -> None:
    view = admin.get("tournaments", "1")
    if (view["phase"], view["done"]) != ("over", contest.games):
        raise BenchmarkError(f"{view['done']} of {contest.games} games, and the tournament is {view['phase']}")


def _timed(
    process: Running,
    working: Loop,
    bots: Sequence[TournamentBot],
    course: Course,
    contest: Contest,
    begin: Callable[[], object],
) -> Figures:
    began_s, before = now_s(), spent_s(process)
    begin()
    working.run_until(all_have_played(bots, contest.games), TIMEOUT_S, "not all games are over")
    took_s = now_s() - began_s
    cpu_s, own_cpu_s, all_cpu_s = (after - then for after, then in zip(spent_s(process), before, strict=True))
    return {
        "s": took_s,
        "games/s": contest.games / took_s,
        "CPU ms/game": 1e3 * cpu_s / contest.games,
        "idle %": 100 * max(0.0, 1 - course.played_s / (contest.bots * took_s)),
        "CPU %": 100 * cpu_s / took_s,
        "generator CPU %": 100 * own_cpu_s / took_s,
        "others CPU %": max(0.0, 100 * (all_cpu_s - cpu_s - own_cpu_s) / took_s),
    }


def _gaps(course: Course, contest: Contest) -> Figures:
    """The times from the last result of a round to the first move of the next one, as the bots hear of both."""
    if contest.rounds < 2:
        return {}
    heard = 2 * contest.games // contest.rounds
    ends_s = course.results_s[heard - 1 : -1 : heard]
    gaps_ms = sorted(1e3 * (min(at_s for at_s in course.moves_s if at_s > end_s) - end_s) for end_s in ends_s)
    return {"gap ms": gaps_ms[len(gaps_ms) // 2], "gap max ms": gaps_ms[-1]}

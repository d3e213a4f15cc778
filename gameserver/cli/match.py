"""`gameserver match A B`: two players meet many times, to find out which is the better one.

It is a tournament of two on the server that runs, in which each plays both seats. So everything that a tournament can
survive, a match can.

Bots that are started here (`--bot`) come in when the tournament runs already: until then two that look for a game would
find each other, and play a match that does not count.

The report says which is the better one, and how games were lost. It has what cutechess-cli and fastchess report of two
engines: results by seat, pairs of games, draws, losses by other means than play, and the state of a sequential test.
All of it is worked out from the tournament as the admin listener tells it.
"""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import groupby, takewhile
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from gameserver.admin.client import AdminApiError, AdminClient, NotReached
from gameserver.cli.admin import by_option, of_running_server, running_server
from gameserver.cli.bot_processes import Crew, Launch, bot_log_option, bot_option, crew_of, login_time_option
from gameserver.cli.common import CommandFailed, WrongSettings, plain_console, print_line
from gameserver.cli.tournament_options import OVER, setting
from gameserver.cli.tournament_text import tell_to_decide, warn
from gameserver.core.events import EndReason
from gameserver.core.identity import HOUSE_PREFIX
from gameserver.ratings.head_to_head import (
    EloDifference,
    Hypothesis,
    Model,
    Sprt,
    SprtState,
    elo_difference,
    pair_difference,
    pentanomial,
    run_sprt,
)
from gameserver.values import value

View = Mapping[str, Any]

_POLL_S = 0.5
_GAMES = 100
_GAMES_MAX = 1000
"""The most games, and the default with a sequential test, which ends the match itself."""
_GAMES_IN_A_ROW = 100
"""The most that a plan can have of an encounter; a longer match is several."""
_TESTED_AT_ONCE_MAX = 10
"""Games that house players may have at once while a sequential test runs: those are played although it has decided."""
_NO_SHOW_S = 60.0
# N1cknamed's client dies of a MATCH that comes 30 ms after WIN; with a second between them 40 of 40 matches went well.
_PAUSE_S = 1.0
"""Between two games of people's bots: one client clears its game late after WIN, and would clear the next one."""

_NUMBERS_MAX = 8  # by judgement: what fits into a line
"""Numbers of matches that a line shows; the records have all."""
# By judgement: a bot that lost every game by illegal moves was told -382 Elo and nothing else.
_TELLING_SHARE = 0.05
"""The part of all games from which on losses by other means than play are reported before the difference in Elo."""

_SCORES = {"1-0": (2, 0), "½-½": (1, 1), "0-1": (0, 2)}
"""Half points by seat of the results that count. Games that nobody played, or that both lost, tell no strength."""
_BOTH_LOST = "0-0"
_OPEN = ("announced", "playing", "held")
_FORFEITS = {
    EndReason.ILLEGAL: "by an illegal move",
    EndReason.LATE: "late",
    EndReason.DROPPED: "dropped",
}
"""Losses by other means than play."""
_PLAYED = "played to the end"
_WAYS = (*_FORFEITS.values(), "resigned", "corrected by hand", _PLAYED)


@value
class HeadToHead:
    """The series of games that `gameserver match` is to have played."""

    first: str
    second: str
    game: str
    games: int
    clock: str
    """As it is written; empty for the server's own."""
    no_show_s: float
    """The time that an announced match waits for its players."""
    pause_s: float
    same_dice: bool
    """True if both games of a pair have the same dice. A bot can know the second one's then."""
    searches: bool
    """True if what the two look for meanwhile counts afterwards: not where their time is over with the series."""
    by: str
    test: Sprt | None = None
    """The sequential test that ends the series, if any."""

    @property
    def title(self) -> str:
        """The two players of `gameserver match`, as their match is announced."""
        return f"{self.first} - {self.second}"


@click.command()
@click.argument("first")
@click.argument("second")
@click.option("--game", required=True, help="The game, as `gameserver plugins` lists it.")
@click.option(
    "--games",
    type=click.IntRange(1, _GAMES_MAX),
    help=f"Games to play; {_GAMES} by default. With --sprt, the most games to play; {_GAMES_MAX} by default.",
)
@click.option(
    "--sprt",
    nargs=2,
    type=float,
    metavar="ELO0 ELO1",
    help="Stop as soon as a sequential test over pairs of games decides whether FIRST leads by ELO0 or by ELO1. Either "
    "answer is wrong in at most 5 % of such tests.",
)
@click.option(
    "--sprt-model",
    type=click.Choice([model.value for model in Model]),
    default=Model.NORMALIZED.value,
    show_default=True,
    help="The unit of ELO0 and ELO1. Without draws, both are nearly the same.",
)
@click.option(
    "--clock", default="", metavar="CLOCK", help='The players\' time, such as "turn 10s", "3m+2s" or "5m, turn 60s".'
)
@click.option(
    "--pause",
    "pause_s",
    type=click.FloatRange(0, 3600),
    help="Seconds between two games; 1 by default, none against the house. Some clients clear a finished game late.",
)
@click.option(
    "--same-dice",
    is_flag=True,
    help="Give both games of a pair the same dice. A bot that remembers the first game's dice knows the second's.",
)
@bot_option
@bot_log_option
@login_time_option
@by_option
@of_running_server
def match(
    first: str,
    second: str,
    game: str,
    games: int | None,
    sprt: tuple[float, float] | None,
    sprt_model: str,
    clock: str,
    pause_s: float | None,
    bots: Sequence[str],
    bot_log: Path | None,
    login_time_s: float,
    by: str,
    config_file: Path | None,
    data: str | None,
    *,
    same_dice: bool,
) -> None:
    """Have FIRST and SECOND play each other, and report which one is better and by how much.

    Both have to be logged in, or be house players such as house-greedy, or be started by --bot. Ctrl-C ends the
    match early.
    """
    console = plain_console()
    test = _test_of(sprt, sprt_model)
    games = games or (_GAMES if test is None else _GAMES_MAX)
    launches = [Launch.of(text) for text in bots]
    started = {one.name for one in launches}
    of_house = [name.startswith(HOUSE_PREFIX) for name in (first, second)]
    stay = any(name not in started and not is_house for name, is_house in zip((first, second), of_house, strict=True))
    series = HeadToHead(
        first,
        second,
        game,
        games,
        setting(f"clock={clock}", option="--clock")[1] if clock else "",
        no_show_s=max(_NO_SHOW_S, 2 * login_time_s),
        pause_s=(0.0 if any(of_house) else _PAUSE_S) if pause_s is None else pause_s,
        same_dice=same_dice,
        searches=stay,
        by=by,
        test=test,
    )
    with running_server(config_file, data) as server:
        _look_over(server, series, launches)
        commands = {one.name: one.filled(server.access.listening, game, games) for one in launches}
        with crew_of(bot_log, login_time_s, lambda: _clear_up(server, series, list(commands))) as crew:
            number = _begun(server, series)
            print_line(
                console, f"this is tournament {number}: `gameserver tournament status -t {number}` has its games"
            )
            warn(server.get("tournaments", str(number)))
            _play(console, server, series, number, crew, commands)
        _tell(console, series, server.get("tournaments", str(number)))


def _test_of(sprt: tuple[float, float] | None, model: str) -> Sprt | None:
    """The sequential test that is asked for. Raises `WrongSettings`."""
    if sprt is None:
        return None
    try:
        return Sprt(*sprt, Model(model))
    except ValueError as error:
        raise WrongSettings(f"--sprt: {error}") from error


def _look_over(server: AdminClient, series: HeadToHead, launches: Sequence[Launch]) -> None:
    """See that the match can be played at all. Raises `CommandFailed`."""
    if series.games > _GAMES_IN_A_ROW and series.games % _GAMES_IN_A_ROW:
        rounded = series.games // _GAMES_IN_A_ROW * _GAMES_IN_A_ROW + _GAMES_IN_A_ROW
        raise WrongSettings(
            f"above {_GAMES_IN_A_ROW}, the number of games must be a multiple of {_GAMES_IN_A_ROW}: --games {rounded}"
        )
    if series.first == series.second:
        raise CommandFailed(
            "a match needs two players; to play a house player against itself, name house-random and house-random-2"
        )
    started = [one.name for one in launches]
    for name in started:
        if name not in {series.first, series.second}:
            raise WrongSettings(f"--bot {name}: the match is between {series.first} and {series.second}")
        if started.count(name) > 1:
            raise WrongSettings(f"--bot {name} is there twice")
    here = {player["name"]: player for player in server.get("status")["players"]}
    for name in (series.first, series.second):
        if name in here and not here[name]["is_callable"]:
            raise CommandFailed(
                f"{name} is connected by the protocol {here[name]['protocol']!r}, whose players cannot be called to a "
                "match; use a text client (port of `strategic`) or a Connect Four client"
            )
        if name in started and name in here:
            raise CommandFailed(f"{name} is logged in already; leave out --bot, or choose another name")
        if name not in started and name not in here and not name.startswith(HOUSE_PREFIX):
            raise CommandFailed(f"{name} is not logged in; `gameserver status` lists the players, and --bot starts one")


def _begun(server: AdminClient, series: HeadToHead) -> int:
    """The number of the tournament, which has begun."""
    in_a_row = min(series.games, _GAMES_IN_A_ROW)
    changes: dict[str, Any] = {
        "games": in_a_row,
        "cycles": series.games // in_a_row,
        "draw": "entry",
        "challenges": False,
        # An afternoon of practice would fill the lobby's ten places of finished tournaments, and the lists.
        "event": False,
        "searches": series.searches,
        "same_chance": series.same_dice,
        "pause_ms": round(series.pause_s * 1000),
        "no_show_ms": round(series.no_show_s * 1000),
    }
    if series.clock:
        changes["clock"] = series.clock
    if series.test is not None and not series.same_dice:
        changes["matches_at_once_max"] = _TESTED_AT_ONCE_MAX
    made = server.post(
        "tournaments",
        preset="hanze",
        name=f"{series.title}, {time.strftime('%Y-%m-%d %H:%M:%S')}",
        game=series.game,
        changes=changes,
        entry="roster",
        roster=[{"player": series.first}, {"player": series.second}],
        by=series.by,
    )
    server.post("tournaments", str(made["number"]), "start", by=series.by)
    return int(made["number"])


def _play(
    console: Console,
    server: AdminClient,
    series: HeadToHead,
    number: int,
    crew: Crew,
    commands: Mapping[str, Sequence[str]],
) -> None:
    """Start the bots, and watch the match to its end. Raises `CommandFailed` if one of them cannot go on."""
    try:
        for name, command in commands.items():
            crew.start(name, command)
        _watch(console, server, series, number, crew)
    except KeyboardInterrupt:
        _cancel(server, number, series.by, "the match was ended early")
    except CommandFailed as refused:
        with suppress(NotReached):
            # The reason on record is one clause; the bot's last lines follow the semicolon.
            _cancel(server, number, series.by, refused.message.partition(";")[0])
            _tell(console, series, server.get("tournaments", str(number)))
        raise


def _watch(console: Console, server: AdminClient, series: HeadToHead, number: int, crew: Crew) -> None:
    """Show how it goes until it is over. A server that is away for a while is waited for.

    Raises `CommandFailed` when one of the bots cannot go on.
    """
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    done, phase = 0, ""
    told: set[str] = set()
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task(series.title, total=series.games)
        while True:
            # Look for ended bots before counting the games: a bot may end with its last game.
            ended = crew.ended
            try:
                view: dict[str, Any] = server.get("tournaments", str(number))
                done, phase = view["done"], view["phase"]
                tell_to_decide(console, view, told)
                if crew.awaited:
                    _note_arrivals(server, view, crew)
            except NotReached:
                progress.update(task, description="the server does not answer; waiting for it")
            else:
                progress.update(task, completed=done, description=_so_far(series, view))
                _stop_if_decided(server, series, number, view)
            if phase in OVER:
                return
            crew.check(ended, done, series.games)
            time.sleep(_POLL_S)


def _so_far(series: HeadToHead, view: dict[str, Any]) -> str:
    tested = "" if series.test is None else f", {_sprt_words(series.test, sprt_state(series.test, view, series.first))}"
    return f"{series.first}: {difference(view, series.first)}{tested}"


def _stop_if_decided(server: AdminClient, series: HeadToHead, number: int, view: dict[str, Any]) -> None:
    """Let the games that are being played end, and begin no others, if the sequential test has decided."""
    if series.test is None or view["phase"] != "running":
        return
    state = sprt_state(series.test, view, series.first)
    if state.verdict is not None:
        why = f"the sequential test accepts {state.verdict}: {_sprt_words(series.test, state)}"
        with suppress(AdminApiError):
            server.post("tournaments", str(number), "finish", by=series.by, why=why)


def _note_arrivals(server: AdminClient, view: dict[str, Any], crew: Crew) -> None:
    """Note the bots that are in the lobby. One that plays a match has been there, however short it was."""
    here = {player["name"] for player in server.get("status")["players"]}
    for bot in crew.awaited:
        bot.is_in = bot.name in here or bool(view["done"] or view["playing"])


def _cancel(server: AdminClient, number: int, by: str, why: str) -> None:
    """End the tournament early, unless it is over."""
    with suppress(AdminApiError):
        server.post("tournaments", str(number), "cancel", by=by, why=why)


def _clear_up(server: AdminClient, series: HeadToHead, names: Sequence[str]) -> None:
    """Take away what bots have begun that are about to be ended, so that nobody loses it."""
    with suppress(NotReached, AdminApiError):
        for played in server.get("status")["matches"]:
            if any(name in played["players"] for name in names):
                why = f"the match of {series.first} and {series.second} is over"
                server.post("matches", str(played["match"]), "void", why=why, by=series.by)


def _tell(console: Console, series: HeadToHead, view: dict[str, Any]) -> None:
    may_have_more = series.games < _GAMES_MAX
    for line in report(view, series.first, series.second, series.test, may_have_more=may_have_more):
        print_line(console, line)


@value
class _GamePair:
    """Two games of a match of two in a row, one in each seat order."""

    half_points: int | None
    """The first player's, from 0 to 4; None if one of the games is open or does not count."""
    is_open: bool
    same_dice: bool


def difference(view: View, first: str) -> EloDifference:
    """The Elo difference that the command `match` shows of its games so far, from the first player's side.

    Games that nobody played do not count.
    """
    scores = [score for one in view["pairings"] if (score := _score(one, first)) is not None]
    return elo_difference(scores.count(2), scores.count(1), scores.count(0))


def game_pairs(view: View, first: str) -> list[_GamePair]:
    """The pairs of games of `gameserver match` that have begun, in the order in which they are to be played."""
    games = sorted((one for one in view["pairings"] if one["status"] != "void"), key=_place)
    return [_pair(list(pair), first) for _, pair in groupby(games, key=lambda one: _place(one)[:3])]


def sprt_state(test: Sprt, view: View, first: str) -> SprtState:
    """The state of the sequential test of `gameserver match` after the pairs over, up to the first that is not."""
    over = takewhile(lambda pair: not pair.is_open, game_pairs(view, first))
    return run_sprt(test, [pair.half_points for pair in over if pair.half_points is not None])


def report(
    view: View, first: str, second: str, test: Sprt | None = None, *, may_have_more: bool = False
) -> Iterator[str]:
    """Reports in lines which of two players is the better one, and how games of their match were lost.

    `may_have_more` if a match could have had more games than this one.
    """
    found = difference(view, first)
    if not found.games:
        yield f"{first} and {second} have not finished any game"
    else:
        yield f"{first} against {second}, {_counted(found.games, 'game')}"
        notices = [line for player in (first, second) for line in _notice(view, player, found.games)]
        yield from notices
        if notices:
            yield "The difference in Elo counts these like any other loss."
        yield str(found)
        yield from _by_seat(view, first)
        yield from _by_pairs(game_pairs(view, first), first)
        yield f"draws: {found.draws} of {_counted(found.games, 'game')} ({_percent(found.draws, found.games)})"
    for player in (first, second):
        yield from _losses(view, player)
    yield from _not_counted(view)
    if test is not None:
        state = sprt_state(test, view, first)
        yield _sprt_line(test, state, first)
        if state.verdict is None:
            yield _what_would_decide(test, found.games, may_have_more=may_have_more)


def _sprt_words(test: Sprt, state: SprtState) -> str:
    lower, upper = test.bounds
    return f"LLR {state.llr:.2f} ({lower:.2f} to {upper:.2f}) after {_counted(state.pairs, 'pair')}"


def _place(pairing: View) -> tuple[int, int, int, int]:
    """A game's place in the series. The last number tells the games of a pair apart."""
    return pairing["round"], pairing["board"], (pairing["game"] - 1) // 2, pairing["game"]


def _score(pairing: View, player: str) -> int | None:
    """A player's half points in a game; None if it does not count."""
    scores = _SCORES.get(pairing["result"])
    return None if scores is None else scores[pairing["first"] != player]


def _pair(games: Sequence[View], first: str) -> _GamePair:
    is_open = len(games) < 2 or any(game["status"] in _OPEN for game in games)
    scores = [score for game in games if (score := _score(game, first)) is not None]
    # Half points of a pair say something of strength only if each has played either seat.
    counts = len(scores) == 2 and games[0]["first"] != games[1]["first"]
    return _GamePair(sum(scores) if counts else None, is_open, all(game["same_dice"] for game in games))


def _notice(view: View, player: str, games: int) -> Iterator[str]:
    """Say that a player's losses are no matter of its play, before anybody reads the difference in Elo."""
    lost = {way: matches for way, matches in _lost_by(view, player).items() if way in _FORFEITS.values()}
    count = sum(map(len, lost.values()))
    if count >= max(1, _TELLING_SHARE * games):
        ways = ", ".join(f"{len(matches)} {way}" for way, matches in lost.items())
        example = next((match for matches in lost.values() for match in matches if match is not None), None)
        blame = "" if example is None else f"; `gameserver blame {example}` explains one"
        yield f"{player} lost {count} of {_counted(games, 'game')} by other means than play: {ways}{blame}."


def _by_seat(view: View, first: str) -> Iterator[str]:
    for seat, name in (("first", "first"), ("second", "second")):
        scores = [score for one in view["pairings"] if one[seat] == first and (score := _score(one, first)) is not None]
        if scores:
            counts = f"+{scores.count(2)} ={scores.count(1)} -{scores.count(0)}"
            yield f"{first} in the {name} seat: {counts} ({_percent(sum(scores), 2 * len(scores))} of the points)"


def _by_pairs(pairs: Iterable[_GamePair], first: str) -> Iterator[str]:
    complete = [pair for pair in pairs if pair.half_points is not None]
    if not complete:
        return
    counts = pentanomial(pair.half_points for pair in complete if pair.half_points is not None)
    texts = ", ".join(f"{points}: {count}" for points, count in zip(("0", "½", "1", "1½", "2"), counts, strict=True))
    yield f"pairs of games by {first}'s points: {texts}"
    found = pair_difference(counts)
    if found is not None:
        yield (
            f"by pairs: {found.elo:+.0f} Elo ± {found.elo_error:.0f}, normalized {found.nelo:+.0f} "
            f"± {found.nelo_error:.0f}, likelihood of superiority {100 * found.superiority:.1f} %"
        )
    shared = sum(pair.same_dice for pair in complete)
    yield f"pairs with the same dice in both games: {shared or 'none'} of {len(complete)}"


def _losses(view: View, player: str) -> Iterator[str]:
    lost = _lost_by(view, player)
    count = sum(map(len, lost.values()))
    if count:
        yield f"{player} lost {_counted(count, 'game')}: {'; '.join(_way(way, lost[way]) for way in lost)}"


def _lost_by(view: View, player: str) -> dict[str, list[int | None]]:
    """The matches that a player lost and that count, by the way of it."""
    found: dict[str, list[int | None]] = {way: [] for way in _WAYS}
    for one in view["pairings"]:
        if _score(one, player) == 0:
            found[_way_of(one["reason"])].append(one["match"])
    return {way: matches for way, matches in found.items() if matches}


def _not_counted(view: View) -> Iterator[str]:
    """The games that have a result which tells no strength."""
    both = [one for one in view["pairings"] if one["result"] == _BOTH_LOST]
    if both:
        yield f"both lost {_counted(len(both), 'game')}, not counted: {_matches([one['match'] for one in both])}"
    absent = [one for one in view["pairings"] if one["result"] and one["result"] not in {*_SCORES, _BOTH_LOST}]
    for reason, games in groupby(sorted(absent, key=_why_unplayed), key=_why_unplayed):
        yield f"{_counted(len(list(games)), 'game')} not played, not counted: {reason}"


def _why_unplayed(pairing: View) -> str:
    absent = " and ".join(pairing["absent"])
    return f"{absent} did not come" if absent else pairing["reason"] or "without a match"


def _way_of(reason: str) -> str:
    """The way in which a game was lost, from the tournament's reason, such as `illegal move: the cell is taken`."""
    known = {str(kind): way for kind, way in _FORFEITS.items()}
    known |= {str(EndReason.RESIGNED): "resigned", "corrected": "corrected by hand"}
    return known.get(reason.partition(":")[0], _PLAYED)


def _way(way: str, matches: Sequence[int | None]) -> str:
    return f"{len(matches)} {way}" if way == _PLAYED else f"{len(matches)} {way} ({_matches(matches)})"


def _matches(numbers: Iterable[int | None]) -> str:
    """Numbers of matches, the first few."""
    known = sorted(number for number in numbers if number is not None)
    shown = ", ".join(map(str, known[:_NUMBERS_MAX]))
    more = f" and {len(known) - _NUMBERS_MAX} more" if len(known) > _NUMBERS_MAX else ""
    return f"{'match' if len(known) == 1 else 'matches'} {shown}{more}" if known else "no match on record"


def _sprt_line(test: Sprt, state: SprtState, first: str) -> str:
    unit = "Elo" if test.model is Model.LOGISTIC else f"{test.model} Elo"
    said = {
        Hypothesis.H1: f"H1 is accepted: {first}'s lead is rather {test.elo1:g} than {test.elo0:g}",
        Hypothesis.H0: f"H0 is accepted: {first}'s lead is rather {test.elo0:g} than {test.elo1:g}",
        None: "not decided",
    }[state.verdict]
    return f"SPRT, {unit} {test.elo0:g} or {test.elo1:g}: {_sprt_words(test, state)}: {said}"


def _what_would_decide(test: Sprt, games: int, *, may_have_more: bool) -> str:
    distance = test.elo1 - test.elo0
    wider = f"{max(-test.elo_max, test.elo0 - distance / 2):g} {min(test.elo_max, test.elo1 + distance / 2):g}"
    more = "play more (--games), or " if may_have_more else ""
    return (
        f"After {_counted(games, 'game')} the lead may still be either. To decide it, {more}set the two further apart: "
        f"--sprt {wider} takes about a quarter of the games. The difference in Elo above is what is known so far."
    )


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %"

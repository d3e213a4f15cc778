"""The report of `gameserver match`: what the games say of who is the better one, and how they were lost.

It has what cutechess-cli and fastchess report of two engines: results by seat, pairs of games, draws, losses by other
means than play, and the state of a sequential test. All of it is worked out from the tournament as the admin listener
tells it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, takewhile
from typing import Any

from gameserver.core.events import EndReason
from gameserver.ratings.head_to_head import (
    EloDifference,
    Model,
    Sprt,
    SprtState,
    Verdict,
    elo_difference,
    pair_difference,
    pentanomial,
    run_sprt,
)
from gameserver.values import value

View = Mapping[str, Any]

NUMBERS_MAX = 8
"""Numbers of matches that a line shows; the records have all."""
TELLING_SHARE = 0.05
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
"""How games are lost by other means than play."""
_PLAYED = "played to the end"
_WAYS = (*_FORFEITS.values(), "resigned", "corrected by hand", _PLAYED)


@value
class GamePair:
    """Two games in a row, one in each seat order."""

    half_points: int | None
    """The first player's, from 0 to 4; None if one of the games is open or does not count."""
    is_open: bool
    same_dice: bool


def difference(view: View, first: str) -> EloDifference:
    """The difference that the games so far show, from the first player's side; unplayed games do not count."""
    scores = [score for one in view["pairings"] if (score := _score(one, first)) is not None]
    return elo_difference(scores.count(2), scores.count(1), scores.count(0))


def game_pairs(view: View, first: str) -> list[GamePair]:
    """The pairs in the order in which they are to be played, those that have begun."""
    games = sorted((one for one in view["pairings"] if one["status"] != "void"), key=_place)
    return [_pair(list(pair), first) for _, pair in groupby(games, key=lambda one: _place(one)[:3])]


def sprt_state(test: Sprt, view: View, first: str) -> SprtState:
    """The state of a sequential test after the pairs that are over, up to the first one that is not."""
    over = takewhile(lambda pair: not pair.is_open, game_pairs(view, first))
    return run_sprt(test, [pair.half_points for pair in over if pair.half_points is not None])


def report(
    view: View, first: str, second: str, test: Sprt | None = None, *, may_have_more: bool = False
) -> Iterator[str]:
    """The lines. `may_have_more` if a match could have had more games than this one."""
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


def sprt_words(test: Sprt, state: SprtState) -> str:
    """The state of a sequential test in a few words."""
    lower, upper = test.bounds
    return f"LLR {state.llr:.2f} ({lower:.2f} to {upper:.2f}) after {_counted(state.pairs, 'pair')}"


def _place(pairing: View) -> tuple[int, int, int, int]:
    """A game's place in the series. The last number tells the games of a pair apart."""
    return pairing["round"], pairing["board"], (pairing["game"] - 1) // 2, pairing["game"]


def _score(pairing: View, player: str) -> int | None:
    """A player's half points in a game; None if it does not count."""
    scores = _SCORES.get(pairing["result"])
    return None if scores is None else scores[pairing["first"] != player]


def _pair(games: Sequence[View], first: str) -> GamePair:
    is_open = len(games) < 2 or any(game["status"] in _OPEN for game in games)
    scores = [score for game in games if (score := _score(game, first)) is not None]
    counts = len(scores) == 2 and games[0]["first"] != games[1]["first"]
    return GamePair(sum(scores) if counts else None, is_open, all(game["same_dice"] for game in games))


def _notice(view: View, player: str, games: int) -> Iterator[str]:
    """Say that a player's losses are no matter of its play, before anybody reads the difference in Elo."""
    lost = {way: matches for way, matches in _lost_by(view, player).items() if way in _FORFEITS.values()}
    count = sum(map(len, lost.values()))
    if count >= max(1, TELLING_SHARE * games):
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


def _by_pairs(pairs: Iterable[GamePair], first: str) -> Iterator[str]:
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
    shown = ", ".join(map(str, known[:NUMBERS_MAX]))
    more = f" and {len(known) - NUMBERS_MAX} more" if len(known) > NUMBERS_MAX else ""
    return f"{'match' if len(known) == 1 else 'matches'} {shown}{more}" if known else "no match on record"


def _sprt_line(test: Sprt, state: SprtState, first: str) -> str:
    unit = "Elo" if test.model is Model.LOGISTIC else f"{test.model} Elo"
    said = {
        Verdict.H1: f"H1 is accepted: {first}'s lead is rather {test.elo1:g} than {test.elo0:g}",
        Verdict.H0: f"H0 is accepted: {first}'s lead is rather {test.elo0:g} than {test.elo1:g}",
        None: "not decided",
    }[state.verdict]
    return f"SPRT, {unit} {test.elo0:g} or {test.elo1:g}: {sprt_words(test, state)}: {said}"


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

"""The report of a match: what is counted, for whom, and what is said before the difference in Elo."""

from types import SimpleNamespace
from typing import Any

import pytest

from gameserver.cli import match
from gameserver.cli.common import CommandFailed
from gameserver.cli.match import difference, game_pairs, report, sprt_state
from gameserver.ratings.head_to_head import Hypothesis, Model, Sprt


def game(number: int, result: str, reason: str = "", **more: Any) -> dict[str, Any]:
    """A game of ann and bob. Odd numbers have ann in the first seat."""
    first, second = ("ann", "bob") if number % 2 else ("bob", "ann")
    place = {"number": number, "round": 1, "board": 1, "game": number, "match": 100 + number}
    end = {"status": "done" if result else "playing", "result": result, "reason": reason, "absent": ()}
    return place | end | {"first": first, "second": second, "same_dice": False} | more


def view(*games: dict[str, Any]) -> dict[str, Any]:
    return {"pairings": list(games)}


def test_a_whole_report() -> None:
    played = view(
        game(1, "1-0", same_dice=True),
        game(2, "0-1", "illegal move: the cell is taken", same_dice=True),
        game(3, "½-½"),
        game(4, "1-0", "late"),
        game(5, "0-1", "dropped: the connection broke"),
        game(6, "1-0", "resigned"),
        game(7, "1-0", "corrected: our bug"),
        game(8, "0-0", "late"),
        game(9, "+/-", "no-show", match=None, absent=("bob",)),
    )
    assert list(report(played, "ann", "bob")) == [
        "ann against bob, 7 games",
        "ann lost 2 of 7 games by other means than play: 1 late, 1 dropped; `gameserver blame 104` explains one.",
        "bob lost 1 of 7 games by other means than play: 1 by an illegal move; `gameserver blame 102` explains one.",
        "The difference in Elo counts these like any other loss.",
        str(difference(played, "ann")),
        "ann in the first seat: +2 =1 -1 (62.5 % of the points)",
        "ann in the second seat: +1 =0 -2 (33.3 % of the points)",
        "pairs of games by ann's points: 0: 1, ½: 1, 1: 0, 1½: 0, 2: 1",
        "by pairs: -58 Elo ± 344, normalized -48 ± 278, likelihood of superiority 36.7 %",
        "pairs with the same dice in both games: 1 of 3",
        "draws: 1 of 7 games (14.3 %)",
        "ann lost 3 games: 1 late (match 104); 1 dropped (match 105); 1 resigned (match 106)",
        "bob lost 3 games: 1 by an illegal move (match 102); 1 corrected by hand (match 107); 1 played to the end",
        "both lost 1 game, not counted: match 108",
        "1 game not played, not counted: bob did not come",
    ]


def test_one_late_move_in_a_long_match_is_only_in_the_list() -> None:
    games = [game(number, "½-½") for number in range(1, 40)]
    lines = list(report(view(*games, game(40, "1-0", "late")), "ann", "bob"))
    assert "ann lost 1 game: 1 late (match 140)" in lines
    assert not any("other means" in line for line in lines)


def test_a_long_list_of_matches_is_cut() -> None:
    games = [game(number, "0-1" if number % 2 else "1-0", "late") for number in range(1, 13)]
    assert "ann lost 12 games: 12 late (matches 101, 102, 103, 104, 105, 106, 107, 108 and 4 more)" in list(
        report(view(*games), "ann", "bob")
    )


def test_nothing_finished_is_said_plainly() -> None:
    assert list(report(view(game(1, "")), "ann", "bob")) == ["ann and bob have not finished any game"]


def test_the_replay_of_a_voided_game_belongs_to_its_pair() -> None:
    voided = game(1, "", status="void")
    (pair,) = game_pairs(view(voided, game(2, "0-1"), game(1, "1-0") | {"number": 3}), "ann")
    assert pair.half_points == 4


def test_a_test_waits_for_the_first_open_pair() -> None:
    """Pairs that are over count in their order only: those that end early are not a fair sample."""
    won = [game(number, "1-0" if number % 2 else "0-1") for number in range(1, 41)]
    test = Sprt(0, 100)
    state = sprt_state(test, view(*won), "ann")
    assert state.verdict is Hypothesis.H1
    assert state.pairs < 20
    held = [*won[:4], game(5, ""), *won[5:]]
    assert (sprt_state(test, view(*held), "ann").pairs, sprt_state(test, view(*held), "ann").verdict) == (2, None)
    skipped = [*won[:4], game(5, "+/-"), *won[5:]]
    assert sprt_state(test, view(*skipped), "ann") == state, "a game that nobody played counts for nobody"
    lines = list(report(view(*won), "ann", "bob", test))
    assert lines[-1].endswith(f"after {state.pairs} pairs: H1 is accepted: ann's lead is rather 100 than 0")


@pytest.mark.parametrize(
    ("test", "wider"), [(Sprt(0, 5), "-2.5 7.5"), (Sprt(0, 190), "-95 200"), (Sprt(-20, 20, Model.LOGISTIC), "-40 40")]
)
def test_a_match_that_ends_undecided_says_what_would_decide_it(test: Sprt, wider: str) -> None:
    even = [game(number, "1-0") for number in range(1, 5)]
    *_, state, advice = report(view(*even), "ann", "bob", test)
    assert state.endswith("after 2 pairs: not decided")
    assert advice.startswith("After 4 games the lead may still be either. To decide it, set the two further apart: ")
    assert f"--sprt {wider} takes" in advice
    *_, advice = report(view(*even), "ann", "bob", test, may_have_more=True)
    assert "To decide it, play more (--games), or set the two" in advice


def look_over(*players: dict[str, Any]) -> None:
    who = {"first": "ann", "second": "house-random", "game": "Countdown", "by": "teacher"}
    times = {"clock": "", "no_show_s": 60.0, "pause_s": 0.0}
    series = match.HeadToHead(**who, **times, games=1, same_dice=False, searches=True)
    server: Any = SimpleNamespace(get=lambda *_path: {"players": list(players)})
    match._look_over(server, series, [])


def test_protocol_that_cannot_be_called_is_named_at_once_and_others_may_play() -> None:
    why = "ann is connected by the protocol 'gammonx', whose players cannot be called to a match"
    with pytest.raises(CommandFailed, match=why):
        look_over({"name": "ann", "protocol": "gammonx", "is_callable": False})
    look_over({"name": "ann", "protocol": "strategic", "is_callable": True})

"""The contract for hidden moves: a viewer must not be able to tell one from another.

`Game.seen` hides a move from a viewer. The other answers to this viewer have to keep the secret, too.
So the kit also plays other moves that would have been shown alike, and compares the answers.
At the end of a game secrets may be revealed.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from gameserver.game import Game, Seat, State
from gameserver.testing.contract import Trail

DRAWS_MAX = 100
"""Draws that may follow a move before its reaction is asked for."""

Question = Callable[[State[Any], Seat | None], object]


def _view(state: State[Any], viewer: Seat | None) -> object:
    return dict(state.view(viewer))


def _prompt(state: State[Any], viewer: Seat | None) -> object:
    """The prompt is for seats that are to act."""
    return state.prompt(viewer) if viewer is not None and viewer in state.turn.seats else None


_SHOWN: Mapping[str, Question] = {
    "view": _view,
    "board": lambda state, viewer: state.board(viewer),
    "picture": lambda state, viewer: state.picture(viewer),
    "small_picture": lambda state, viewer: state.small_picture(viewer),
    "sides": lambda state, viewer: tuple(state.sides(viewer)),
}
"""The answers that show any position."""

_TOLD: Mapping[str, Question] = {
    **_SHOWN,
    "prompt": _prompt,
    "reaction": lambda state, viewer: state.reaction(viewer),
    "reaction_words": lambda state, viewer: state.reaction_words(viewer),
}
"""The answers that are told once the draws after a move have been made."""


def check_secrets(
    trail: Trail, game: Game[Any], before: State[Any], by: Seat, move: Any, others: Iterable[Any]
) -> None:
    """Compare what each viewer is told of a move with what the other legal moves of the same seat would lead to."""
    after = before.play(by, move)
    hidden_from = [viewer for viewer in (*range(game.seats), None) if _is_hidden(game, after, move, by, viewer)]
    if not hidden_from or after.outcome is not None:
        return
    for other in others:
        instead = before.play(by, other)
        if other == move or instead.outcome is not None:
            continue
        for viewer in hidden_from:
            if game.seen(after, move, by, viewer) == game.seen(instead, other, by, viewer):
                spelled = game.write_move(move), game.write_move(other)
                _compare(trail, (after, instead), spelled, viewer)


def _is_hidden(game: Game[Any], after: State[Any], move: Any, by: Seat, viewer: Seat | None) -> bool:
    return game.seen(after, move, by, viewer) != game.write_move(move)


def _compare(trail: Trail, states: tuple[State[Any], State[Any]], moves: tuple[str, str], viewer: Seat | None) -> None:
    """Fail if this viewer could tell which of two moves was made, now or after the draws that follow."""
    _compare_answers(trail, _SHOWN, states, moves, viewer)
    one, other = states
    for _ in range(DRAWS_MAX):
        wanted = one.chance
        if wanted is None or wanted != other.chance:
            break
        one, other = one.drawn((1,) * wanted.count), other.drawn((1,) * wanted.count)
    if one.outcome is None and other.outcome is None:
        _compare_answers(trail, _TOLD, (one, other), moves, viewer)


def _compare_answers(
    trail: Trail,
    questions: Mapping[str, Question],
    states: tuple[State[Any], State[Any]],
    moves: tuple[str, str],
    viewer: Seat | None,
) -> None:
    for name, question in questions.items():
        one, other = (trail.ask(f"{name}({viewer})", question, state, viewer) for state in states)
        # Written out only where it is told: the text of two pictures takes longer than drawing them.
        if one != other:
            trail.fail(
                f"{name}({viewer}) gives a hidden move away: it is {one!r} after {moves[0]!r} and {other!r} after "
                f"{moves[1]!r}, though seen() shows viewer {viewer} the same of both; leave out what is hidden"
            )

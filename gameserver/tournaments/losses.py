"""Describes the losses of a destructive act, in sentences for the person who is about to carry it out.

They are made of a tournament's view in terms of JSON (`view.as_json`), which the teacher's page and the command line
both have.
"""

from collections.abc import Callable, Mapping
from typing import Any

from gameserver.tournaments.model import PairingStatus, TournamentPhase, Verdict
from gameserver.tournaments.plan import BRACKET_FORMATS, EFFECTS, Effect, Format
from gameserver.tournaments.view import RESULTS

View = Mapping[str, Any]


class NothingToLose(Exception):
    """The destructive act names a game or a player that the tournament does not have; the text says so."""


def losses(act: str, view: View, asked: View) -> list[str]:
    """The losses by a destructive act, in sentences that a teacher reads before confirming it. Raises `NothingToLose`.

    Empty for an act that takes nothing away.
    """
    tell = _TELL.get(act)
    return [] if tell is None else tell(view, asked)


def _cancel(view: View, _asked: View) -> list[str]:
    lines = []
    cut = view["playing"] + view["held"]
    if cut:
        lines.append(f"{_games(cut)} being played or awaiting your decision: ended without a result.")
    if view["left"]:
        lines.append(f"{_games(view['left'])} still to come: not played.")
    if view["done"]:
        lines.append(f"{_games(view['done'])} played: the results stay on record.")
    return [
        *lines,
        "Nothing more is played unless you resume it; games that were cut off are then played from the start.",
    ]


def _void_stage(view: View, _asked: View) -> list[str]:
    # The page before the act has the refusal of a tournament that is in its first stage.
    stages = view["stages"]
    name = f"Stage {len(stages)}, {stages[-1]['name']}" if stages else "The stage"
    done = sum(group["done"] for group in stages[-1]["groups"]) if stages else 0
    back = f" of stage {len(stages) - 1}" if len(stages) > 1 else ""
    return [
        f"{name}: the results of {_games(done)} no longer count; games that are being played end without a result.",
        f"The tournament pauses at the end{back}; Resume begins the stage anew with those who go on then.",
    ]


def _void(view: View, asked: View) -> list[str]:
    game = _game(view, asked)
    is_open = game["status"] == PairingStatus.PLAYING
    lost = "The match ends at once, without a result." if is_open else f"The result {game['result']} no longer counts."
    again = "It is not played again, because this is an arena."
    if view["format"] != Format.ARENA:
        again = "It is played again from the start."
    return [_title(game), lost, again]


def _correct(view: View, asked: View) -> list[str]:
    game, result = _game(view, asked), RESULTS[Verdict(asked["verdict"])]
    was = f"The result {game['result']} is replaced by {result}." if game["result"] else f"It gets the result {result}."
    return [_title(game), was, "Pairings that were made since stay as they are."]


def _drop(view: View, asked: View) -> list[str]:
    if view["phase"] == TournamentPhase.GATHERING:
        return [f"{_player(view, asked)['name']} is taken off the list of players."]
    line = _player(view, asked)
    return _out(view, line, f"{line['name']} leaves the tournament", view["withdrawal"])


def _disqualify(view: View, asked: View) -> list[str]:
    line = _player(view, asked)
    lines = _out(view, line, f"{line['name']} is out of the tournament for good", view["disqualification"])
    return [*lines, "There is no way back: they cannot enter again."]


def _out(view: View, line: View, what: str, rule: str) -> list[str]:
    """The end of a player's part, and what becomes of the results by the plan's rule, which is one of `EFFECTS`."""
    effect = next(effect for effect, words in EFFECTS.items() if words == rule)
    played, to_play = line["played"], line["to_play"]
    going_on = line["playing"] is not None
    if effect is Effect.HALF:
        # As `standings` decides it once the player is out.
        effect = Effect.FORFEIT if 2 * played >= played + to_play + going_on else Effect.ANNUL
    open_matches = "their 1 open match counts" if to_play == 1 else f"their {to_play} open matches count"
    stand = f"The results of {_games(played)} stand."
    lines = {
        Effect.KEEP: [f"{what}; {open_matches} for nobody." if to_play else f"{what}.", stand],
        Effect.FORFEIT: [
            f"{what}; {open_matches} as lost." if to_play else f"{what}; no match of theirs is open.",
            stand,
        ],
        Effect.ANNUL: [
            f"{what}; the results of {_games(played)} are annulled, for the opponents too.",
            *([f"{open_matches.capitalize()} for nobody."] if to_play else []),
        ],
        Effect.REVERSE: [f"{what}; all their matches count as lost, also {_games(played)} already played."],
    }[effect]
    if view["format"] in BRACKET_FORMATS:
        lines.append("Whoever is or would be their next opponent goes through without a game.")
    return [*lines, "The game that they are playing goes on to its end."] if going_on else lines


def _player(view: View, asked: View) -> Mapping[str, Any]:
    for line in view["standings"]:
        if line["name"] == asked["player"]:
            return dict(line)
    raise NothingToLose(f"{asked['player']} is not in this tournament")


def _game(view: View, asked: View) -> Mapping[str, Any]:
    for pairing in view["pairings"]:
        if pairing["number"] == asked["pairing"]:
            return dict(pairing)
    raise NothingToLose(f"there is no pairing {asked['pairing']} in this tournament")


def _title(game: Mapping[str, Any]) -> str:
    return f"Game {game['number']}: {game['first']} against {game['second']}."


def _games(count: int) -> str:
    return "1 game" if count == 1 else f"{count} games"


_TELL: Mapping[str, Callable[[View, View], list[str]]] = {
    "cancel": _cancel,
    "void": _void,
    "void-stage": _void_stage,
    "correct": _correct,
    "drop": _drop,
    "disqualify": _disqualify,
}

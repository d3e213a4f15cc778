"""Runs inside GNU Backgammon (`gnubg -t -q -p gnubg_bridge.py`): answers questions, a line of JSON each.

A position is the checkers of both sides by place, 24 points and the bar, the side to roll second.
"""

import json
import sys

import gnubg  # type: ignore[import-not-found]  # gnubg's own module, which only its own Python has

CONTEXT = {"plies": 0, "cubeful": 1, "deterministic": 1, "prune": 0, "noise": 0.0}


def answer(asked: dict) -> list:
    board = tuple(map(tuple, asked["board"]))
    cube = dict(gnubg.cubeinfo(), jacoby=0, move=1, cube=asked["cube"], cubeowner=asked["owner"])
    if "dice" not in asked:
        return list(gnubg.cfevaluate(board, cube, CONTEXT)[:4])
    gnubg.command("set dice {} {}".format(*asked["dice"]))
    return list(gnubg.findbestmove(board, cube, CONTEXT) or ())


for command in (
    "set player 0 human",
    "set player 1 human",
    "set automatic game off",
    "set automatic roll off",
    "set output rawboard on",
    "new session",
    "set turn 1",
):
    gnubg.command(command)
for line in sys.stdin:
    print("ANSWER", json.dumps(answer(json.loads(line))), flush=True)

"""Has a server make all of its commits in one way, whatever the disk is like: by a plug-in, loaded as any other."""

from pathlib import Path
from typing import Any

WAYS = {"in the thread": (0.0, 1), "on the event loop": (float("inf"), 0)}
"""The seconds within which a commit is quick, and how many in a row have to be: none ever is, or all are."""

_PLUGIN = """
from gameserver.engine import committer
from tests.support.games import Countdown

committer.QUICK_S = float("{quick_s}")
committer.QUICK_COMMITS = {quick_commits}
GAME = Countdown()
"""


def committing(directory: Path, way: str) -> dict[str, Any]:
    """The arguments of a server that commits in this way."""
    quick_s, quick_commits = WAYS[way]
    (directory / "way_of_committing.py").write_text(
        _PLUGIN.format(quick_s=quick_s, quick_commits=quick_commits), encoding="utf-8"
    )
    return {"plugins": ["way_of_committing:GAME"], "env": {"PYTHONPATH": f"{directory}:."}}

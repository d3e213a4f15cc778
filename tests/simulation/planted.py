"""Bugs planted on purpose: what the simulator is for. Each is an edit of the production code, by function and line.

They are the mistakes that a change of the server could make without any other test's notice, as small as they come. An
edit that no longer applies fails its test: the code has moved, and the edit has to move with it.

    python -m tests.simulation --planted release-before-commit --seeds 20
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attrs import frozen

from tests.simulation.plan import HallsPlan, Interrupted, Plan, StandbyPlan, settings_of
from tests.support.edits import Edit, read_edits

KINDS = {kind.__name__: kind for kind in (Plan, StandbyPlan, HallsPlan, Interrupted)}
_TITLE = re.compile(r"(?P<name>[\w-]+): (?P<least>\d+) of 20 (?P<kind>\w+)(?P<settings>( \w+=\S+)*)")


@frozen
class Planted:
    edit: Edit
    least: int
    """The number of seeds out of twenty that find it, at least."""
    wanted: Mapping[str, Any]
    """Settings of the plans; what it leaves out every seed draws."""
    kind: type[Plan]
    first_seed: int


def _planted(title: str, edit: Edit) -> tuple[str, Planted]:
    found = _TITLE.fullmatch(title)
    if found is None:
        raise ValueError(f"this is no title of a bug: {title}")
    settings = settings_of(found["settings"].split())
    first_seed = settings.pop("first_seed", 0)
    return found["name"], Planted(edit, int(found["least"]), settings, KINDS[found["kind"]], first_seed)


PLANTED: Mapping[str, Planted] = dict(
    _planted(*one) for one in read_edits(Path(__file__).with_suffix(".txt").read_text("utf-8"))
)
"""By name, in the order of the file."""

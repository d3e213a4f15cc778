"""Finds out if another package has taken the place of `games` or `protocols`, which are ours.

The names are common ones. A folder `games` where Python looks first hides ours, and a distribution with a package
`games`, installed after ours, writes over it. Either would end in a traceback about something that is missing.
"""

import importlib
from importlib.metadata import distributions
from importlib.util import find_spec
from pathlib import Path

OURS = ("games", "protocols")
_APART = "give gameserver an environment of its own: pipx install, uvx, or a new virtual environment"


def package_clash() -> str | None:
    """The sentence about a package that has taken the place of ours, and what to do; None if all are ours."""
    beside = Path(__file__).parents[2]
    for name in OURS:
        spec = find_spec(name)
        if spec is None or spec.origin is None:
            return f"its package {name!r} is missing from {beside}; install gameserver again"
        origin, ours = Path(spec.origin), beside / name / "__init__.py"
        if origin.resolve() != ours.resolve():
            return _hidden(name, origin)
        if getattr(importlib.import_module(name), "PART_OF", None) != "gameserver":
            by = _distribution_of(ours) or "another package of this name"
            return f"its package {name!r} in {beside} was written over by {by}; {_APART}"
    return None


def _hidden(name: str, origin: Path) -> str:
    place = origin.parent if origin.name == "__init__.py" else origin
    if place.parent.resolve() == Path.cwd():
        return f"its package {name!r} is hidden by {place}; start gameserver in another folder, or rename that one"
    found = _distribution_of(origin)
    of = f" of {found}" if found else ""
    return f"its package {name!r} is hidden by {place}{of}, which Python finds first; {_APART}"


def _distribution_of(file: Path) -> str | None:
    """The distribution that installed a file, apart from our own, where pip knows it."""
    for found in distributions():
        if found.name != "gameserver" and any(
            file.name == path.name and Path(str(found.locate_file(path))).resolve() == file.resolve()
            for path in found.files or ()
        ):
            return f"the distribution {found.name} {found.version}"
    return None

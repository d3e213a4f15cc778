"""Finds scenarios: those that come with a protocol, and those of a course."""

from collections.abc import Sequence
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from gameserver.check.scenario import Scenario
from gameserver.check.scenario_file import WrongScenario, read
from gameserver.values import value

ENDING = ".scenario"


@value
class Library:
    """The scenarios that were found, and the files that are none."""

    scenarios: tuple[Scenario, ...] = ()
    problems: tuple[str, ...] = ()
    """A sentence for each file that cannot be read."""

    def __add__(self, other: "Library") -> "Library":
        """Both; a scenario of the other takes the place of one with the same name."""
        named = {scenario.name: scenario for scenario in (*self.scenarios, *other.scenarios)}
        return Library(tuple(named.values()), self.problems + other.problems)


def of_package(package: str) -> Library:
    """The scenarios in an importable package; none if there is no name. Raises `ModuleNotFoundError`."""
    return _read_all(list(files(package).iterdir())) if package else Library()


def of_directory(directory: Path) -> Library:
    """The scenarios in a directory. Raises `OSError`."""
    return _read_all(list(directory.iterdir()))


def _read_all(found: Sequence[Traversable]) -> Library:
    scenarios: list[Scenario] = []
    problems: list[str] = []
    for path in sorted(found, key=lambda path: path.name):
        if not path.name.endswith(ENDING):
            continue
        try:
            scenarios.append(read(path.read_text("utf-8"), str(path), path.name.removesuffix(ENDING)))
        except WrongScenario as wrong:
            problems.append(str(wrong))
        except (OSError, UnicodeDecodeError) as error:
            problems.append(f"{path}: cannot be read: {error}")
    return Library(tuple(scenarios), tuple(problems))

"""Settings of the house players, and the mark of numbers that no config file sets."""

import os
import sys
from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from attrs import field, validators

from gameserver.values import value

FIXED: Final[Mapping[str, bool]] = {"fixed": True}
"""Metadata of a field of the settings that the config file has no key for.

Nobody who runs a server would choose such a number; code that makes a server may, as tests do. The reason and the
source of each stand beside it.
"""


class Pace(StrEnum):
    """The matches in which the house moves at the pace of a person."""

    WEB = "web"
    """Those against players of the protocol `web`, who are people."""
    ALWAYS = "always"
    NEVER = "never"


@value
class HouseTerms:
    """Settings of the house players: their thinking, and the time of their moves."""

    thinkers_max: int = field(default=0, validator=[validators.ge(0), validators.le(256)])
    """The most processes in which house players think at once. 0: one for each core but one, at least one."""
    think_max_s: float = field(default=20.0, metadata=FIXED)  # by judgement: the strategies here take up to 1 s
    """The time after which a house player's thinking is stopped, and any legal move is made: an emergency, which is
    logged. It is never more than half of the time for a turn."""
    pace: Pace = Pace.WEB
    """The matches in which the house takes a person's time for its moves, 0.6 to 1.5 s: those against players of the
    protocol `web`, all, or none. It takes less where it has no choice, and at most a tenth of the time for a turn."""
    seed: str = ""
    """If set, what house players leave to chance follows from this text and the moves of the game alone, so that a
    game can be repeated against them. Others who know it can foretell their moves: leave it empty for a tournament."""

    @property
    def workers_max(self) -> int:
        """The most processes in which house players think at once, by the settings and this machine's cores."""
        return self.thinkers_max or max(1, _cores() - 1)


def _cores() -> int:
    """The cores that this process may use, where the system tells; else all of the machine."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    else:  # noqa: RET505 - mypy follows a question about the platform in this form
        return os.cpu_count() or 1

"""Runs the command `gameserver` with rules and limits that no config sets, for waits and loads that no user has.

    python -P tests/support/fixed_otherwise.py '{"limits": {"commands_per_s": 100000}}' serve ...

The keys are parts of `Setup`. In tests of one process, they are arguments of it.
"""

import json
import sys
from typing import Any

from attrs import evolve

from gameserver.cli import serve
from gameserver.cli.main import main
from gameserver.server.server import Setup


def _setup(**parts: Any) -> Setup:
    return Setup(**parts | {name: evolve(parts[name], **changes) for name, changes in FIXED.items()})


if __name__ == "__main__":
    FIXED = json.loads(sys.argv[1])
    serve.Setup = _setup  # type: ignore[assignment, misc]
    main(sys.argv[2:], prog_name="gameserver")

import subprocess
import sys
import textwrap

import attrs
import pytest

from gameserver.core.messages.commands import Leave

USE = textwrap.dedent("""
    from gameserver.core.messages.commands import Leave
    from gameserver.core.state.match import TurnClock

    assert Leave(1) == Leave(1) != Leave(2)
    assert hash(Leave(1)) == hash(Leave(1))
    assert not hasattr(Leave(1), "__dict__")
    assert Leave.__setattr__ is object.__setattr__
    assert repr(TurnClock(3)) == "TurnClock(deadline_ms=3, left_ms=None, from_ms=0)"
""")


def test_the_tests_have_values_that_cannot_be_changed():
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        Leave(1).session = 2


def test_a_server_has_the_same_values_without_the_guard():
    subprocess.run([sys.executable, "-c", USE], check=True)

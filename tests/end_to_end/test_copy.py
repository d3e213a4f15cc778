"""`gameserver copy`, from outside: what a terminal is shown, and what a kill leaves."""

import os
import subprocess
from contextlib import closing

import pytest
from attrs import evolve

from tests.end_to_end.support import COMMAND, environment, eventually
from tests.exports.matches import played
from tests.support.journals import open_journal


@pytest.mark.skipif(os.name != "posix", reason="Windows has no pseudo-terminals of this kind")
def test_a_person_sees_how_far_a_copy_is(tmp_path):
    source = tmp_path / "source.sqlite3"
    with closing(open_journal(str(source))) as journal:
        journal.append([], [played("Reversi")])
    ours, its = os.openpty()
    command = [COMMAND, "copy", str(source), str(tmp_path / "target.sqlite3")]
    done = subprocess.run(command, env=environment(), stdout=subprocess.PIPE, stderr=its, check=True)
    os.close(its)
    shown = os.read(ours, 65_536).decode()
    os.close(ours)
    assert "copying " in shown
    assert "100%" in shown
    assert b"copying " not in done.stdout


@pytest.mark.slow
def test_a_copy_that_is_killed_leaves_all_or_nothing(kept_in, tmp_path):
    source = str(tmp_path / "source.sqlite3")
    match = played("Reversi")
    with closing(open_journal(source)) as journal:
        journal.append([], [evolve(match, match=number) for number in range(1, 2_001)])
    outcomes = []
    for tenths_s in range(4, 1_000, 7):
        process = subprocess.Popen([COMMAND, "copy", source, kept_in], env=environment(), stdout=subprocess.DEVNULL)
        try:
            process.wait(tenths_s / 10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        # PostgreSQL may still be at a statement, with the lock of the session that is gone.
        with closing(eventually(lambda: _led(kept_in), "the killed session is gone")) as journal:
            outcomes.append(sum(1 for _ in journal.read_records()))
        if outcomes[-1]:
            break
    assert len(outcomes) > 2, "the copy was never killed"
    assert set(outcomes) == {0, 2_000}


def _led(data):
    """The journal, if it can be led."""
    try:
        return open_journal(data)
    except BlockingIOError:
        return None

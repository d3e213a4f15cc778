"""`gameserver copy`, from outside: a match that was live goes on over the copy."""

import os
import subprocess
from contextlib import closing

import pytest
from attrs import evolve

from tests.end_to_end.blocking_client import begin, play
from tests.end_to_end.support import COMMAND, called, environment, eventually
from tests.exports.matches import played
from tests.support.journals import open_journal


def test_a_live_match_goes_on_over_the_copy(serve, database, tmp_path):
    server = serve()
    ann, bob = server.client("ann"), server.client("bob")
    first, second = begin(ann, bob)
    name_of_second = "bob" if first is ann else "ann"
    play(first, second, 4)
    refused = called("copy", str(server.data), database)
    assert refused.returncode == 1
    assert refused.stderr.startswith(f"gameserver: {server.data} is in use by another server")
    server.kill()
    done = called("copy", str(server.data), database)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"copied {server.data} to " in done.stdout
    assert "live matches: 1, players: 2" in done.stdout
    again = called("copy", str(server.data), database)
    assert again.returncode == 1
    assert " is not empty (rows: journal " in again.stderr
    other = serve("--data", database)
    back = {name: other.client(name) for name in ("ann", "bob")}
    for client in back.values():
        client.expect("SVR GAME MATCH ", 'SVR GAME MOVE {PLAYER: "')
    mover = back.pop(name_of_second)
    mover.expect("SVR GAME YOURTURN ")
    play(mover, *back.values(), 0, 8)
    assert other.stop() == 0
    done = called("copy", database, str(tmp_path / "back.sqlite3"))
    assert (done.returncode, done.stderr) == (0, "")
    assert "live matches: 1, players: 2" in done.stdout


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

"""`gameserver copy`, from outside: a match that was live goes on over the copy."""

import pytest

from tests.end_to_end.support import begin, play, run


@pytest.fixture
def copied_to(tmp_path):
    """Where the data is copied to."""
    return str(tmp_path / "copied.sqlite3")


def test_a_live_match_goes_on_over_the_copy(serve, copied_to):
    server = serve()
    ann, bob = server.client("ann"), server.client("bob")
    first, second = begin(ann, bob)
    name_of_second = "bob" if first is ann else "ann"
    play(first, second, 4)
    refused = run("copy", str(server.data), copied_to)
    assert refused.returncode == 1
    assert refused.stderr.startswith(f"gameserver: {server.data} is in use by another server")
    server.kill()
    done = run("copy", str(server.data), copied_to)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"copied {server.data} to {copied_to}, read back and compared:" in done.stdout
    assert "live matches: 1, players: 2" in done.stdout
    again = run("copy", str(server.data), copied_to)
    assert again.returncode == 1
    assert f"gameserver: {copied_to} is not empty (rows: journal " in again.stderr
    other = serve("--data", copied_to)
    back = {name: other.client(name) for name in ("ann", "bob")}
    for client in back.values():
        client.expect("SVR GAME MATCH ", 'SVR GAME MOVE {PLAYER: "')
    mover = back.pop(name_of_second)
    mover.expect("SVR GAME YOURTURN ")
    play(mover, *back.values(), 0, 8)
    assert other.stop() == 0


@pytest.mark.parametrize(
    ("source", "said"),
    [("nowhere.sqlite3", "there is no data file nowhere.sqlite3"), (":memory:", ":memory: keeps nothing")],
)
def test_nothing_to_copy_is_said_in_one_line(source, said, copied_to):
    done = run("copy", source, copied_to)
    assert done.returncode in {1, 2}
    assert done.stderr.startswith(f"gameserver: {said}")
    assert done.stderr.count("\n") == 1

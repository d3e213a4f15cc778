"""`gameserver copy`, from outside: a match that was live goes on over the copy."""

from tests.end_to_end.support import begin, play, run


def test_a_live_match_goes_on_over_the_copy(serve, database, tmp_path):
    server = serve()
    ann, bob = server.client("ann"), server.client("bob")
    first, second = begin(ann, bob)
    name_of_second = "bob" if first is ann else "ann"
    play(first, second, 4)
    refused = run("copy", str(server.data), database)
    assert refused.returncode == 1
    assert refused.stderr.startswith(f"gameserver: {server.data} is in use by another server")
    server.kill()
    done = run("copy", str(server.data), database)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"copied {server.data} to " in done.stdout
    assert "live matches: 1, players: 2" in done.stdout
    again = run("copy", str(server.data), database)
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
    done = run("copy", database, str(tmp_path / "back.sqlite3"))
    assert (done.returncode, done.stderr) == (0, "")
    assert "live matches: 1, players: 2" in done.stdout

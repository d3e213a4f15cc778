"""A game that is not ours, installed as a package."""

from tests.end_to_end.blocking_client import begin
from tests.end_to_end.packages import installed
from tests.end_to_end.support import run


def test_pig_is_listed_and_played(serve, tmp_path):
    env = installed("pig", tmp_path)
    done = run("plugins", env=env)
    assert (done.returncode, done.stderr) == (0, "")
    (row,) = [line for line in done.stdout.splitlines() if "Pig" in line]
    assert "gameserver.games entry point 'pig' (pig:GAME)" in row
    server = serve(env=env)
    ann, bob = server.client("ann"), server.client("bob")
    assert ann.ask("get gamelist") == "OK"
    assert '"Pig"' in ann.expect("SVR GAMELIST [")
    first, second = begin(ann, bob, "pig")
    assert first.ask("move roll") == "OK"
    assert first.expect("SVR GAME MOVE ") == second.expect("SVR GAME MOVE ")
    assert second.ask("forfeit") == "OK"
    assert first.news()[-1].startswith("SVR GAME WIN ")

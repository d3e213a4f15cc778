"""A game that is not ours, installed as a package."""

import pytest

from tests.end_to_end.blocking_client import fields_of
from tests.end_to_end.packages import installed
from tests.end_to_end.support import run


@pytest.fixture(scope="module")
def with_pig(tmp_path_factory):
    """An environment in which `examples/pig` is installed."""
    return installed("pig", tmp_path_factory.mktemp("pig"))


def test_pig_is_listed_and_played_to_the_end(serve, with_pig):
    done = run("plugins", env=with_pig)
    assert (done.returncode, done.stderr) == (0, "")
    (row,) = [line for line in done.stdout.splitlines() if "Pig" in line]
    assert "gameserver.games entry point 'pig' (pig:GAME)" in row
    server = serve(env=with_pig)
    clients = {name: server.client(name) for name in ("ann", "bob")}
    assert clients["ann"].ask("get gamelist") == "OK"
    assert '"Pig"' in clients["ann"].expect("SVR GAMELIST [")
    for client in clients.values():
        assert client.ask("subscribe pig") == "OK"
    first = fields_of(clients["ann"].expect("SVR GAME MATCH "))["PLAYERTOMOVE"]
    clients["bob"].expect("SVR GAME MATCH ")
    names = (first, "bob" if first == "ann" else "ann")

    seat, banked, news = 0, [0, 0], clients[first].news()
    while news and news[0].startswith("SVR GAME YOURTURN "):
        mover, other = clients[names[seat]], clients[names[1 - seat]]
        prompt = fields_of(news[0])["TURNMESSAGE"]
        total = int(prompt.removeprefix("total ").partition(",")[0])
        assert prompt == f"total {total}, you {banked[seat]}, other {banked[1 - seat]}, target 100"
        move = "hold" if total >= 20 else "roll"
        assert mover.ask(f"move {move}") == "OK"
        said = fields_of(mover.expect("SVR GAME MOVE "))
        assert said == fields_of(other.expect("SVR GAME MOVE "))
        assert (said["PLAYER"], said["MOVE"]) == (names[seat], move)
        if move == "hold":
            assert said["DETAILS"] == f"seat {seat} banks {total}"
            banked[seat] += total
        news = mover.news()
        if not news:
            seat, news = 1 - seat, other.news()

    (result,) = news
    assert result.startswith("SVR GAME WIN ")
    scores = [int(fields_of(result)[key]) for key in ("PLAYERONESCORE", "PLAYERTWOSCORE")]
    assert scores[seat] >= 100
    assert scores[1 - seat] == banked[1 - seat] < 100
    (told,) = clients[names[1 - seat]].news()
    assert told == result.replace("WIN", "LOSS").replace("}", ', REASON: "the game was played to its end"}')

"""Games that are not ours: one that was installed as a package, and others whose code is broken."""

import shutil
from pathlib import Path

import pytest

from tests.end_to_end.blocking_client import begin, fields_of, play
from tests.end_to_end.packages import found_in, installed
from tests.end_to_end.support import eventually, run

BROKEN_GAMES = Path(__file__).with_name("broken_games.py")
VOID = 'SVR GAME DRAW {PLAYERONESCORE: "0", PLAYERTWOSCORE: "0", COMMENT: "Match void"}'


@pytest.fixture(scope="module")
def with_pig(tmp_path_factory):
    """An environment in which `examples/pig` is installed."""
    return installed("pig", tmp_path_factory.mktemp("pig"))


def test_an_installed_game_is_listed_with_where_it_comes_from(with_pig):
    done = run("plugins", env=with_pig)
    assert (done.returncode, done.stderr) == (0, "")
    (row,) = [line for line in done.stdout.splitlines() if "Pig" in line]
    assert "gameserver.games entry point 'pig' (pig:GAME)" in row


def test_pig_is_played_to_the_end_over_the_wire(serve, with_pig):
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


def test_the_house_plays_pig(serve, with_pig):
    server = serve(env=with_pig)
    ann = server.client("ann")
    for rival in ("house-random", "house-twenty"):
        assert ann.ask(f'challenge "{rival}" "Pig"') == "OK"
        ann.expect("SVR GAME MATCH ")
        while not (line := ann.next()).startswith(("SVR GAME WIN ", "SVR GAME LOSS ")):
            if line.startswith("SVR GAME YOURTURN "):
                total = int(fields_of(line)["TURNMESSAGE"].split()[1].rstrip(","))
                ann.send("move hold" if total >= 20 else "move roll")
        said = fields_of(line)
        assert said["COMMENT"] == ""
        assert max(int(said["PLAYERONESCORE"]), int(said["PLAYERTWOSCORE"])) >= 100
    assert server.stop() == 0
    assert [match.reason for match in server.matches()] == ["played", "played"]


@pytest.fixture
def serve_broken(tmp_path, serve):
    """A server with the broken games among its own."""
    shutil.copy(BROKEN_GAMES, tmp_path)
    names = ("START", "PLAY", "RESIGNED", "PROMPT", "SULKS", "STRATEGY")
    server = serve(env=found_in(tmp_path), plugins=[f"broken_games:{name}" for name in names])
    server.faults_expected = True
    return server


@pytest.fixture
def bystanders(serve_broken):
    """A match of a game that works, begun before and played to its end afterwards."""
    first, second = begin(serve_broken.client("cyd"), serve_broken.client("dan"))
    play(first, second, 0, 3)
    yield
    play(first, second, 1, 4)
    assert first.ask("move 2") == "OK"
    first.expect("SVR GAME MOVE ", "SVR GAME WIN ")


def test_a_game_that_raises_in_play_ends_its_own_match_without_a_loser(serve_broken, bystanders):
    server = serve_broken
    first, second = begin(server.client("ann"), server.client("bob"), "raises in play")
    play(first, second, 4, 0)
    answer = first.ask("move 1")
    assert answer.startswith("ERR The server made a mistake, not you: ")
    assert first.news() == second.news() == [VOID]
    server.log.wait_for("match over", "reason=void", "ZeroDivisionError: the third move")
    # They are free for another match.
    first, second = begin(first, second)
    play(first, second, 4)


def test_a_game_that_raises_between_the_moves(serve_broken, bystanders):
    first, second = begin(serve_broken.client("ann"), serve_broken.client("bob"), "Raises in prompt")
    play(first, second, 4)
    assert second.ask("move 0").startswith("ERR The server made a mistake, not you: ")
    assert first.news() == second.news() == [VOID]


def test_a_game_in_which_nobody_can_go_on(serve_broken, bystanders):
    first, second = begin(serve_broken.client("ann"), serve_broken.client("bob"), "Sulks")
    play(first, second, 4)
    assert second.ask("move 0").startswith("ERR The server made a mistake, not you: ")
    assert first.news() == second.news() == [VOID]


def test_a_game_that_cannot_start(serve_broken, bystanders):
    ann, bob = serve_broken.client("ann"), serve_broken.client("bob")
    assert ann.ask("subscribe Raises in start") == "OK"
    assert bob.ask("subscribe Raises in start").startswith("ERR The server made a mistake, not you: ")
    for client in (ann, bob):
        client.hears_nothing()
    first, second = begin(ann, bob)
    play(first, second, 4)


@pytest.mark.parametrize("how", ["forfeit", "bye", "reset"])
def test_a_game_that_cannot_be_given_up(serve_broken, bystanders, how):
    clients = {name: serve_broken.client(name) for name in ("ann", "bob")}
    first, second = begin(*clients.values(), "Raises in resigned")
    (name,) = [name for name, client in clients.items() if client is first]
    if how == "forfeit":
        assert first.ask("forfeit").startswith("ERR The server made a mistake, not you: ")
        assert first.news() == [VOID]
    elif how == "bye":
        first.send("bye")
    else:
        first.reset()
    assert second.next() == VOID
    if how != "forfeit":
        eventually(lambda: serve_broken.client().ask(f"login {name}") == "OK", "the name is free again")
    second.hears_nothing()


def test_a_house_player_that_fails(serve_broken, bystanders):
    ann = serve_broken.client("ann")
    assert ann.ask('challenge "house-bad" "Bad player"') == "OK"
    ann.expect("SVR GAME MATCH ")
    line = ann.next()
    if line.startswith("SVR GAME YOURTURN "):
        assert ann.ask("move 4") == "OK"
        ann.expect("SVR GAME MOVE ")
        line = ann.next()
    assert line == VOID
    ann.hears_nothing()


def test_a_game_that_is_gone_after_a_restart_makes_its_matches_void(new_server, serve_broken):
    first, second = begin(serve_broken.client("ann"), serve_broken.client("bob"), "Raises in play")
    play(first, second, 4)
    third, fourth = begin(serve_broken.client("cyd"), serve_broken.client("dan"))
    play(third, fourth, 0, 3)
    assert serve_broken.stop() == 0
    server = new_server()
    shutil.copy(serve_broken.data, server.data)
    server.start()
    for name in ("ann", "bob"):
        server.client(name).hears_nothing()
    for name in ("cyd", "dan"):
        server.client(name).expect("SVR GAME MATCH ", "SVR GAME MOVE ", "SVR GAME MOVE ")
    assert server.stop() == 0
    (match,) = server.matches()
    assert (match.game, match.reason) == ("Raises in play", "void")

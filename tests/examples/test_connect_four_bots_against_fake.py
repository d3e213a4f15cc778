"""The Connect Four clients, each in its own process, against a scripted server."""

import runpy

import pytest

from games.connect_four_3d_lines import LINES
from tests.examples.bot_processes import CUTS, PYTHON, are_lost_for_good, results, sentence
from tests.examples.fake_connect_four_server import (
    ALONE,
    FREE,
    MAKE_MOVE,
    STARTED,
    JsonPeer,
    event,
    lobby,
    over,
    theirs,
    with_moves,
)
from tests.examples.fake_strategic_server import fake_server

BOTS = ("connect_four_bot.py", "ConnectFourBot")


def bot(port, *more):
    return ["--host", "127.0.0.1", "--port", port, "--name", "ann", "--seed", 1, *more]


def test_its_lines_are_the_76():
    assert set(runpy.run_path(str(PYTHON / BOTS[0]))["LINES"]) == set(LINES)


DECISIVE = {
    "a0 a3 c0 a3 d0 a3": "b0",  # wins along y, where a3 would only hold
    "a0 a3 a0 d0 a0 c1": "a0",  # upwards
    "a0 a0 a1 a1 a3 d3": "a2",  # along x
    "a0 a0 b1 a0 c2 a0": "d3",  # across the bottom
    "c1 a1 a1 d1 a1 d3 b3 a1 b1 b1 c2 c1 a3": "b1",  # up a wall
    "a0 c2 b1 d3 b1 d3 a3 d3 c2 b2 d3 a2": "c2",  # through the cube
    "a0 a0 a1 a1 a3": "a2",  # holds along x
    "a3 b2 b2 c1 b2 a3 d0 a3 c1": "a3",  # through the cube
}


def test_it_finds_what_decides_a_game_that_goes_on(run):
    """It is shown the moves as after a restart of the server; whose they are follows from whose turn it is."""
    said = {}

    def script(peer: JsonPeer) -> None:
        peer.welcome("ann", FREE, "ann")
        first, *others = DECISIVE
        peer.seated(1, "bob", with_moves(*first.split()), MAKE_MOVE)
        said[first] = peer.moved(over("you"))
        for moves in others:
            peer.asked("restart", with_moves(*moves.split()), MAKE_MOVE)
            said[moves] = peer.moved(over("you"))
        peer.goodbye()

    with fake_server(script, peer=JsonPeer) as server:
        done = run(*bot(server.port, "--matches", len(DECISIVE)))
    assert results(done) == ["RESULT win bob 1:-1"] * len(DECISIVE)
    assert said == DECISIVE


@pytest.mark.parametrize("cut", CUTS)
def test_match_after_match_in_one_room(run, cut):
    """With its own moves on the board: bob goes upwards until three are on top of each other, and is stopped."""
    tower: list[str] = []

    def script(peer: JsonPeer) -> None:
        peer.welcome("ann", FREE, "bob", FREE)
        peer.seated(1, "bob", STARTED, MAKE_MOVE)
        peer.moved(*theirs("d0"))
        peer.moved(over("draw"))
        untouched = ["b2", "c0", "a3", "d1"]
        tower.append(untouched.pop())
        peer.asked("restart", STARTED, *theirs(tower[0]))
        while len(tower) < 3:
            if peer.moved() in tower:
                tower[:] = [untouched.pop()]
            else:
                tower.append(tower[0])
            peer.tell(*theirs(tower[0]))
        assert peer.moved(over("opponent")) == tower[0]
        peer.goodbye()

    with fake_server(script, cut=cut, peer=JsonPeer) as server:
        done = run(*bot(server.port, "--matches", 2))
    assert results(done) == ["RESULT draw bob 0:0", "RESULT loss bob -1:1"]


@pytest.mark.parametrize("reason", ["invalid move", "move denied"])
def test_a_column_that_was_refused_is_not_tried_again(run, reason):
    """Refused wherever it plays, it comes to the last column. Later it tries again: no refused stone stays."""
    said: list[str] = []

    def script(peer: JsonPeer) -> None:
        peer.welcome("ann", "bob")
        peer.seated(0, "bob", with_moves("a0", "a3", "a0", "d0", "a0", "c1"), MAKE_MOVE)
        said.extend(peer.moved(event("error", reason=reason), MAKE_MOVE) for _ in range(15))
        said.append(peer.moved(*theirs("d2")))
        said.append(peer.moved(over("you")))
        peer.goodbye()

    with fake_server(script, peer=JsonPeer) as server:
        results(run(*bot(server.port)))
    assert len(set(said[:16])) == 16
    assert said[0] == said[16] == "a0"


def test_a_move_in_its_place_counts_and_its_own_does_not(run):
    """The server has played a1 for it, so a3 holds nothing, but wins after a0 and a2."""
    said: list[str] = []

    def script(peer: JsonPeer) -> None:
        peer.welcome("ann", "bob")
        peer.seated(0, "bob", with_moves("a0", "d0", "a2", "c3"), MAKE_MOVE)
        peer.moved(event("error", reason="time elapsed", move="a1"), *theirs("d1"))
        said.append(peer.moved(over("you")))
        peer.goodbye()

    with fake_server(script, peer=JsonPeer) as server:
        results(run(*bot(server.port)))
    assert said == ["a3"]


def test_late_before_it_has_moved_at_all(run):
    """The news may come when its last action was no move."""

    def script(peer: JsonPeer) -> None:
        peer.welcome("ann", "bob")
        peer.seated(0, "bob", STARTED, event("error", reason="time elapsed", move="a1"), *theirs("d1"))
        peer.moved(over("you"))
        peer.goodbye()

    with fake_server(script, peer=JsonPeer) as server:
        results(run(*bot(server.port)))


def test_a_full_room_and_a_game_that_nobody_goes_on_with(run):
    full = event("error", reason="game full")

    def script(peer: JsonPeer) -> None:
        peer.welcome("ann", FREE, "cyd", "dan")
        peer.asked("join", full, room_number=1)
        peer.asked("connect", lobby(FREE, "cyd", "dan"))
        peer.asked("join", full, room_number=2)
        peer.asked("connect", lobby(FREE, "cyd", "dan"))
        peer.seated(0, ALONE, STARTED, MAKE_MOVE)
        peer.moved(over("you"))
        peer.asked("restart", lobby(FREE, FREE, "eve"))
        peer.seated(2, "eve", event("started", opponent="eve"), MAKE_MOVE)
        peer.moved(over("you"))
        peer.goodbye()

    with fake_server(script, peer=JsonPeer) as server:
        done = run(*bot(server.port, "--matches", 2))
    assert results(done) == ["RESULT win bob 1:-1", "RESULT win eve 1:-1"]


@pytest.mark.parametrize("cut", CUTS)
def test_unknown_messages_are_shown_and_ignored(run, cut):
    strange = ("", "[]", "5", "{", '"event"', "null", '{"event":5}', '{"event":"clock","move":"a0"}', "{}")
    odd = '{ "price" : [1.5e3, true, {"x\\"}": null}], "move":"b\\u0031" ,"event" : "opponent\\u0020moved"\t}'

    def script(peer: JsonPeer) -> None:
        peer.tell(*strange)
        peer.welcome("ann", "bob")
        peer.seated(0, "bob", *strange, {"extra": [1, {"event": "lobby"}], **STARTED}, *strange, odd, MAKE_MOVE)
        peer.moved(over("you"))
        peer.goodbye()

    with fake_server(script, cut=cut, peer=JsonPeer) as server:
        done = run(*bot(server.port))
    assert results(done) == ["RESULT win bob 1:-1"]
    assert "move bob b1" in done.stdout
    assert 'server says: {"event":"clock"' in done.stdout.replace("'", '"').replace(': "', ':"')


@pytest.mark.parametrize("last_words", [(), (event("error", reason="lobby entry denied"),)])
def test_lost_in_mid_match_it_comes_back_to_its_room(run, last_words):
    def before(peer: JsonPeer) -> None:
        peer.welcome("ann", FREE, FREE, "bob")
        peer.seated(2, "bob", STARTED, *theirs("a0"))
        peer.moved(*last_words)
        peer.socket.sendall(b'{"event":"opponent mov')

    def still_held(peer: JsonPeer) -> None:
        peer.asked("connect", event("error", reason="lobby entry denied"), name="ann")

    def after(peer: JsonPeer) -> None:
        peer.welcome("ann", FREE, "cyd", "bob")
        peer.seated(2, "bob", with_moves("a0", "b1", "a1", "b1", "a2"), MAKE_MOVE)
        assert peer.moved(over("you")) == "a3"
        peer.goodbye()

    with fake_server(before, still_held, after, peer=JsonPeer) as server:
        done = run(*bot(server.port))
    assert results(done) == ["RESULT win bob 1:-1"]
    assert done.stdout.count("connection lost") == 1
    assert done.stdout.count("not back yet") == (0 if last_words else 1), "a reason is told once"
    assert done.stdout.count("logged in as ann") == 2


def test_a_match_that_did_not_wait_is_replaced_by_another(run):
    def before(peer: JsonPeer) -> None:
        peer.welcome("ann", FREE, FREE, "bob")
        peer.seated(2, "bob", STARTED, *theirs("a0"))

    def after(peer: JsonPeer) -> None:
        peer.welcome("ann", FREE, "cyd")
        peer.seated(1, "cyd", event("started", opponent="cyd"), MAKE_MOVE)
        peer.moved(over("draw"))
        peer.goodbye()

    with fake_server(before, after, peer=JsonPeer) as server:
        done = run(*bot(server.port))
    assert results(done) == ["RESULT draw cyd 0:0"]


DENIED = event("error", reason="lobby entry denied", message="somebody called ann is here already")


@pytest.mark.parametrize(
    ("options", "shown", "asked", "said"),
    [
        ((), None, ("connect", DENIED, {"name": "ann"}), "refused 'connect': lobby entry denied"),
        (
            ("--secret", "k7mw-x4tp"),
            None,
            ("connect", DENIED, {"name": "ann", "secret": "k7mw-x4tp"}),
            "refused 'connect': lobby entry denied",
        ),
        (
            ("--room", 1),
            (FREE, "cyd"),
            ("join", event("error", reason="game full"), {"room_number": 1}),
            "refused 'join': game full",
        ),
        ((), (), None, "no free room"),
    ],
)
def test_refusal_of_the_server_ends_the_bot_with_one_sentence(run, options, shown, asked, said):
    def script(peer: JsonPeer) -> None:
        if shown is not None:
            peer.welcome("ann", *shown)
        if asked is not None:
            action, answer, keys = asked
            peer.asked(action, answer, **keys)

    with fake_server(script, peer=JsonPeer) as server:
        assert said in sentence(run(*bot(server.port, *options)), 1)


def test_lost_for_good(bots):
    def gone(peer: JsonPeer) -> None:
        peer.welcome("ann", FREE)
        peer.hear()  # what is not read when a socket is closed resets the connection, and the bot tells that

    def lost(run):
        with fake_server(gone, peer=JsonPeer) as server:
            return run(*bot(server.port, "--retry-for", 1))

    are_lost_for_good(bots, lost)


@pytest.mark.parametrize(
    "arguments",
    [
        "",
        "--name ann --port x",
        "--name ann --matches 0",
        "--name ann --room -1",
        "--name ann --retry-for -1",
        "--name ann --colour black",
    ],
)
def test_a_bad_argument_is_one_line(run, arguments):
    sentence(run(*arguments.split()), 2)

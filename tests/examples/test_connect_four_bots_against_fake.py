"""The Connect Four clients, each in its own process, against a scripted server."""

import runpy

import pytest

from games.connect_four_3d_lines import LINES
from tests.examples.bot_processes import PYTHON, against, are_lost_for_good, results, sentence
from tests.examples.fake_connect_four_server import (
    FREE,
    MAKE_MOVE,
    JsonPeer,
    event,
    over,
    theirs,
    with_moves,
)

BOTS = ("connect_four_bot.py", "ConnectFourBot")


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

    done = against(run, f"--matches {len(DECISIVE)}", script, peer=JsonPeer)
    assert results(done) == ["RESULT win bob 1:-1"] * len(DECISIVE)
    assert said == DECISIVE


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

    results(against(run, "", script, peer=JsonPeer))
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

    results(against(run, "", script, peer=JsonPeer))
    assert said == ["a3"]


DENIED = event("error", reason="lobby entry denied", message="somebody called ann is here already")


@pytest.mark.parametrize(
    ("options", "shown", "asked", "said"),
    [
        ("", None, ("connect", DENIED, {"name": "ann"}), "refused 'connect': lobby entry denied"),
        (
            "--secret k7mw-x4tp",
            None,
            ("connect", DENIED, {"name": "ann", "secret": "k7mw-x4tp"}),
            "refused 'connect': lobby entry denied",
        ),
        (
            "--room 1",
            (FREE, "cyd"),
            ("join", event("error", reason="game full"), {"room_number": 1}),
            "refused 'join': game full",
        ),
        ("", (), None, "no free room"),
    ],
)
def test_refusal_of_the_server_ends_the_bot_with_one_sentence(run, options, shown, asked, said):
    def script(peer: JsonPeer) -> None:
        if shown is not None:
            peer.welcome("ann", *shown)
        if asked is not None:
            action, answer, keys = asked
            peer.asked(action, answer, **keys)

    assert said in sentence(against(run, options, script, peer=JsonPeer), 1)


def test_lost_for_good(bots):
    are_lost_for_good(bots, "", lambda peer: peer.welcome("ann", FREE), JsonPeer)


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

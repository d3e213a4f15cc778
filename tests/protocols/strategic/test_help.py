"""Help for a student who asks: the pages of games, one's own match, and names that are nearly right."""

import re

import pytest

from gameserver.protocol import (
    Accepted,
    BoardShown,
    Code,
    Context,
    ListGames,
    MatchStatus,
    Peer,
    Rejected,
    Reply,
    ShowMatch,
    Work,
)
from gameserver.server.adapter_factory import built_guide
from protocols.strategic import PROTOCOL
from protocols.strategic.parsing import VERBS
from tests.support.games import BestOf, Broken, Countdown
from tests.support.own_plugins import OWN
from tests.support.strategic_client import StrategicClient, lines_of

GAMES = {game.name: game for game in OWN.games.values()}
IMITATIONS = ("2009", "2015", "2016", "ngs")


def told(line: str, profile: str = "document") -> list[str]:
    """The answer of a listener that knows every game of ours."""
    context = Context(
        profile,
        PROTOCOL.options_type(),
        tuple(sorted(GAMES)),
        guides={name: game.guide for name, game in GAMES.items()},
        aliases={alias: name for name, game in GAMES.items() for alias in game.aliases},
        pages_url="http://192.168.100.100:8080",
    )
    adapter = PROTOCOL.adapter(Peer(7, "10.0.0.1"), context)
    adapter.receive(f"{line}\n".encode(), 0)
    reply = adapter.next()
    assert isinstance(reply, Reply), reply
    return lines_of(reply.data)


@pytest.mark.parametrize("asked", ["", *VERBS, *GAMES])
def test_every_page_of_help_fits_a_terminal(asked):
    page = told(f"help {asked}")
    assert page[0] == "OK"
    assert max(map(len, page)) <= 80


@pytest.mark.parametrize("name", GAMES)
def test_every_game_has_a_page_whose_words_are_all_shown(name):
    page = " ".join(line.removeprefix("SVR HELP ").strip() for line in told(f"help {name}"))
    assert " ".join(GAMES[name].guide.split()) in " ".join(page.split())


@pytest.mark.parametrize(("name", "cells"), [("Reversi", 60), ("Tic-tac-toe", 9), ("Connect-four-3D", 16)])
def test_the_numbering_is_drawn(name, cells):
    drawn = re.findall(r"^ [ a-d\d|BW]*$", GAMES[name].guide, re.MULTILINE)
    assert len({int(number) for line in drawn for number in re.findall(r"\d+", line)}) >= cells


@pytest.mark.parametrize("profile", IMITATIONS)
@pytest.mark.parametrize("name", ["Reversi", "Tic-tac-toe", "Connect-four-3D"])
def test_where_an_original_is_imitated_its_games_have_no_page(profile, name):
    assert told(f"help {name}", profile) == [f"ERR Unknown command '{name}'."]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        *(("mov", "move"), ("suscribe", "subscribe"), ("Othello", "Reversi"), ("othelo", "Reversi")),
        *(("TicTacToe", "Tic-tac-toe"), ("Reversy", "Reversi"), ("ConnectFour", "Connect-four-3D")),
    ],
)
def test_help_says_what_may_have_been_meant(written, meant):
    assert told(f"help {written}") == [f"ERR Unknown command '{written}', did you mean '{meant}'?"]


def test_nothing_is_suggested_for_what_is_like_nothing():
    assert told("help chess") == ["ERR Unknown command 'chess'."]
    assert told(f"help {'reversi' * 10}") == [f"ERR Unknown command '{'reversi' * 10}'."]


def test_the_overview_says_where_the_pages_are():
    assert told("help")[-1] == "SVR HELP Matches to look at, move by move: http://192.168.100.100:8080/matches"
    assert not any("http:" in line for line in StrategicClient().told("help"))


# A page for games without words of their own.


def test_a_game_without_words_is_shown_by_its_start():
    page = built_guide(Countdown()).splitlines()
    assert page[:4] == ["Legal moves at the start: 1, 2", "For example: move 1", "TURNMESSAGE at the start: 5 left", ""]
    assert "  ooooo" in page
    assert "loses a match" in page[-1]


def test_a_match_of_several_games_is_shown_by_its_first():
    assert built_guide(BestOf()).startswith("A match of several games; the first is Countdown.\nLegal moves")


def test_match_with_a_failing_game_still_has_a_page():
    assert built_guide(Broken("start")).startswith("An illegal move loses")


# One's own match.


def test_a_board_is_shown_line_by_line():
    shown = BoardShown(1, ("a b", "", "c\td"))
    assert StrategicClient().play().asks("get board", shown) == ["OK", "SVR BOARD a b", "SVR BOARD ", "SVR BOARD c d"]


@pytest.mark.parametrize(
    ("awaited", "left_ms", "turn", "left"),
    [((0,), 7_490, "ann", "7.5"), ((1,), 0, "bob", "0.0"), ((0, 1), None, "ann, bob", ""), ((), 5_000, "", "5.0")],
)
def test_a_match_is_told_in_one_line(awaited, left_ms, turn, left):
    standing = MatchStatus(12, "Reversi", ("ann", "bob"), 0, awaited, left_ms)
    line = (
        'SVR MATCH {MATCHNUMBER: "12", GAMETYPE: "Reversi", OPPONENT: "bob", '
        f'TURN: "{turn}", TIMELEFT: "{left}", RESULT: "", PAGE: ""}}'
    )
    assert StrategicClient().play().asks("get match", standing) == ["OK", line]


def test_until_the_records_are_read_no_other_line_is_taken():
    client = StrategicClient().login()
    client.adapter.receive(b"get match\r\nget gamelist\r\n", 0)
    assert client.adapter.next() == ShowMatch(7)
    assert client.hears(answer=Rejected(Code.NOT_IN_MATCH, {"player": "ann"})) == []
    assert not client.adapter.is_waiting
    assert isinstance(client.adapter.next(), Work)
    assert client.adapter.next() is None


async def test_answer_from_the_records_precedes_the_next_line():
    client = StrategicClient().login()
    client.adapter.receive(b"get match\r\nget gamelist", 0)
    client.adapter.receive_eof()
    assert client.adapter.next() == ShowMatch(7)
    client.hears(answer=Rejected(Code.NOT_IN_MATCH, {"player": "ann"}))
    work = client.adapter.next()
    assert isinstance(work, Work)
    assert not client.adapter.finished
    await work.run(lambda: None)
    reply = client.adapter.next()
    assert isinstance(reply, Reply)
    assert lines_of(reply.data) == ["ERR You have not played any match yet; subscribe <game> finds an opponent"]
    assert client.adapter.next() == ListGames(7)
    client.hears(answer=Accepted())
    assert client.adapter.finished

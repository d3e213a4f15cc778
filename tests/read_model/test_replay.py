"""A match as spectators see it: the same live and on record, continued move by move, safe from a game's bugs."""

import random
from typing import Any

import pytest
from attrs import evolve, frozen

from games import tic_tac_toe
from gameserver.core.match import Match
from gameserver.drawing import Side
from gameserver.game import NoOptions
from gameserver.read_model.live import match_replay_of, present_board
from gameserver.read_model.replay import CANNOT_BE_SHOWN, MatchReplay, recorded_replay, sides_of
from tests.support.lobbies import LobbyHarness
from tests.support.own_plugins import OWN

GAMES = OWN.games
NAMES = [game.name for game in GAMES.values()]


@frozen
class BoardFails(tic_tac_toe.Position):
    def play(self, seat: int, move: int) -> "BoardFails":
        return BoardFails(super().play(seat, move).cells)

    def board(self, viewer: int | None) -> str:
        raise ZeroDivisionError


class FailingWhenShown(tic_tac_toe.TicTacToe):
    def start(self, options: Any) -> BoardFails:
        return BoardFails()

    def seen(self, *_: Any) -> str:
        raise ZeroDivisionError


def played(harness: LobbyHarness, game: str, steps: int, seed: int = 5) -> list[Match]:
    """A match at every step of it, made by two who play at random."""
    match, *_ = harness.opened(game)
    chance = random.Random(seed)
    seen = [match]
    while len(seen) <= steps and match.id in harness.lobby.matches:
        (seat,) = match.turn.seats
        session = match.seats[seat].session
        assert session is not None
        moves = match.state.legal_moves(seat)
        harness.now_ms += 700
        harness.play(session, match.game.write_move(chance.choice(moves)))
        match = harness.lobby.matches.get(match.id, match)
        seen.append(match)
    return seen


@pytest.mark.parametrize("game", NAMES)
def test_a_tale_told_on_is_the_tale_told_at_once(game: str) -> None:
    harness = LobbyHarness(GAMES)
    match_replay: MatchReplay | None = None
    for match in played(harness, game, 25):
        match_replay = match_replay_of(match, match_replay)
        at_once = match_replay_of(match)
        assert match_replay.view == at_once.view
        assert match_replay.present == at_once.present
        assert match_replay.present.text == match.state.board(None)
        assert match_replay.last_step == len(match_replay.view.steps)
        small = match_replay.board(match_replay.last_step, is_small=True)
        assert small.picture == match.state.small_picture(None)


@pytest.mark.parametrize("game", NAMES)
def test_recorded_match_equals_the_live_one(game: str) -> None:
    harness = LobbyHarness(GAMES)
    live = match_replay_of(played(harness, game, 20)[-1])
    if not harness.records:
        session = harness.lobby.matches[1].seats[0].session
        assert session is not None
        harness.resign(session)
    over = recorded_replay(harness.records[0], GAMES)
    assert over.view.is_over
    shown = [evolve(step, text="") for step in live.view.steps]
    assert [evolve(step, text="") for step in over.view.steps[: len(shown)]] == shown
    for step in range(len(shown)):
        assert over.board(step) == live.board(step)


def test_a_series_is_told_with_all_its_games() -> None:
    harness = LobbyHarness(GAMES)
    harness.enter(1, "ann")
    harness.enter(2, "bob")
    harness.challenge(1, "bob", "Tavli")
    harness.accept(2)
    match = next(iter(harness.lobby.matches.values()))
    chance = random.Random(3)
    before: list[Match] = []
    while match.id in harness.lobby.matches and match.game_number < 3:
        before.append(match)
        (seat,) = match.turn.seats
        session = match.seats[seat].session
        assert session is not None
        harness.play(session, match.game.write_move(chance.choice(match.state.legal_moves(seat))))
        match = harness.lobby.matches.get(match.id, match)
    live = match_replay_of(match)
    assert live.view.game_number == 3
    assert live.view.current == "Fevga"
    assert live.view.score is not None
    assert {step.game for step in live.view.steps} == {1, 2, 3}
    assert live.board(0, seat=1) == live.board(0), "a seat's own view is for its player, and no page asks for a secret"
    harness.resign(1)
    over = recorded_replay(harness.records[0], GAMES)
    assert len(over.game_replays) == 3
    assert over.board(0, seat=0).picture == over.board(0).picture
    assert over.board(0, seat=1).picture != over.board(0).picture, "the second seat sees its own end of the board"
    assert [over.board(step).text for step in range(over.last_step + 1)] == [
        live.board(step).text for step in range(over.last_step + 1)
    ]


def test_the_secret_is_hidden_in_every_position_and_word() -> None:
    harness = LobbyHarness(GAMES)
    match, maker, breaker = harness.opened("Mastermind")
    harness.play(maker, "5151")
    harness.play(breaker, "0123")
    match_replay = match_replay_of(harness.match())
    told = repr((match_replay.view, [match_replay.board(step) for step in range(3)]))
    assert "5151" not in told
    assert "5, 1, 5, 1" not in told
    assert [step.text for step in match_replay.view.steps] == ["?", "0123"]
    assert match_replay.view.steps[1].details == "1 exact 0 partial"


def test_a_drawn_secret_is_hidden_too() -> None:
    harness = LobbyHarness(GAMES)
    harness.enter_anonymously(1)
    harness.practise(1, "Mastermind", secret_is_drawn=True, code_length=4, value_count=6, max_turns=12)
    match = next(iter(harness.lobby.matches.values()))
    match_replay = match_replay_of(match)
    assert [(step.by, step.text) for step in match_replay.view.steps] == [("chance", "?")]
    assert match.moves[0].text not in repr(match_replay.view)


def test_a_games_bug_hides_what_it_is_about_and_breaks_no_page() -> None:
    match = played(LobbyHarness(GAMES), "Tic-tac-toe", 2)[-1]
    game = FailingWhenShown()
    match_replay = match_replay_of(evolve(match, game=game, state=game.start(NoOptions())))
    assert [step.text for step in match_replay.view.steps] == ["?", "?"]
    assert match_replay.present.text == CANNOT_BE_SHOWN
    assert match_replay.board(0).text == CANNOT_BE_SHOWN


@pytest.mark.parametrize("sides", [(Side("X"),), ("X", "O"), None, 7])
def test_sides_that_make_no_sense_are_not_shown_and_break_no_page(sides: Any) -> None:
    @frozen
    class OddSides(tic_tac_toe.Position):
        def sides(self, viewer: int | None) -> Any:
            return sides

    assert sides_of(OddSides(), 2) == ()
    match = played(LobbyHarness(GAMES), "Tic-tac-toe", 2)[-1]
    shown = present_board(evolve(match, state=OddSides()))
    assert (shown.sides, shown.picture) == ((), OddSides().picture(None)), "the board is shown without them"
    assert len(present_board(match).sides) == 2


def test_a_match_of_a_game_that_is_gone_or_has_changed_keeps_its_moves() -> None:
    harness = LobbyHarness(GAMES)
    played(harness, "Tic-tac-toe", 3)
    session = harness.match().seats[0].session
    assert session is not None
    harness.resign(session)
    (record,) = harness.records
    match_replay = recorded_replay(record, {})
    assert [step.text for step in match_replay.view.steps] == [move.move for move in record.moves]
    assert match_replay.present.text == CANNOT_BE_SHOWN
    assert match_replay.board(2).text == CANNOT_BE_SHOWN

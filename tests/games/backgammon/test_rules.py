"""The rules of backgammon's variants, against slow rules, known positions and laws."""

import random
import re
from itertools import count, islice
from pathlib import Path

import pyspiel
import pytest
from attrs import frozen
from hypothesis import given, settings
from hypothesis import strategies as st

from games.backgammon.board import start_of
from games.backgammon.fields import fields_of, numbering, pinned_fields_of, place_of, view_of
from games.backgammon.match import GameOptions
from games.backgammon.notation import Word, read_move, write_move
from games.backgammon.phases import ending_of
from games.backgammon.rules import BackgammonFamily
from games.backgammon.variants import BACKGAMMON, BAR, FEVGA, OFF, PLAKOTO, VARIANTS
from gameserver.game import IllegalMove
from gameserver.testing import check_game
from protocols.gammonx.payloads import thinned
from tests.games.backgammon.positions import (
    COLOURS,
    board_of,
    moves_of,
    played_at_random,
    rolled,
    set_up_at_random,
    slow,
)
from tests.support.tables import table

EVERY_VARIANT = pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)
SEEDS = st.integers(0, 2**32 - 1)


def check_same(board, seat, dice):
    twin, colour = slow(board), COLOURS[seat]
    assert [board.pips(0), board.pips(1)] == [twin.pips(each) for each in COLOURS]
    sequences = board.sequences(seat, dice)
    assert [moves_of(board, seat, sequence) for sequence in sequences] == twin.sequences(colour, dice)
    assert board.can_move(seat, dice) == bool(sequences)
    ends = set()
    for sequence in sequences:
        after, twin_after = board.played(seat, sequence), twin.after(colour, moves_of(board, seat, sequence))
        assert slow(after).key() == twin_after.key()
        ends.add(after)
        ending, result = ending_of(after), twin_after.result(colour)
        assert (ending is None) == (result is None)
        if ending is not None:
            assert (ending.victory or 0) == result
    plays = board.plays(seat, dice)
    assert {board.played(seat, sequence) for sequence in plays.values()} == (ends or {board})
    assert len(plays) == max(1, len(ends))


def is_large(dice):
    """Doubles of low numbers have thousands of orders, which the slow rules take seconds for."""
    return len(dice) == 4


@EVERY_VARIANT
def test_along_random_games(variant):
    positions = list(played_at_random(variant, 0))
    doubles = [position for position in positions if is_large(position[2])]
    for board, seat, dice in [*(each for each in positions if not is_large(each[2])), *doubles[::12]]:
        check_same(board, seat, dice)


@EVERY_VARIANT
@given(seed=SEEDS)
def test_on_boards_set_up_at_random(variant, seed):
    chance = random.Random(seed)
    board, dice = set_up_at_random(variant, chance), rolled(chance)
    if is_large(dice):
        dice = dice[: chance.randint(1, 3)]
    check_same(board, chance.randrange(2), dice)


@pytest.mark.slow
@EVERY_VARIANT
def test_on_many_positions(variant):
    played = [position for seed in range(3, 25) for position in played_at_random(variant, seed)]
    chances = [random.Random(seed) for seed in range(2_000)]
    placed = [(set_up_at_random(variant, chance), chance.randrange(2), rolled(chance)) for chance in chances]
    for board, seat, dice in played + placed:
        if not is_large(dice) or len(board.sequences(seat, dice)) < 300:
            check_same(board, seat, dice)


@EVERY_VARIANT
@given(seed=SEEDS)
def test_thinned_sequences_answer_the_same(variant, seed):
    chance = random.Random(seed)
    board, seat, dice = set_up_at_random(variant, chance), chance.randrange(2), rolled(chance)
    while dice:
        search, own = board.search(seat), board.checkers[seat]
        sequences = search.sequences(own, dice)
        few = thinned(search, own, dice)
        assert _legal_to_positions(few) == _legal_to_positions(sequences)
        assert few == _thinned_in_order(sequences)
        if not sequences:
            return
        step, _, dice = chance.choice(search.steps(own, dice))
        board = board.moved(seat, step.source, step.target)


def _thinned_in_order(sequences):
    known, kept = set(), []
    for sequence in sequences:
        answers = {(one, other) for one, others in _legal_to_positions([sequence]).items() for other in others}
        if not answers <= known:
            known |= answers
            kept.append(sequence)
    return kept


def _legal_to_positions(sequences):
    """The example of the protocol document, line by line, for every `from`."""
    results = {}
    for sequence in sequences:
        for i in range(len(sequence)):
            results.setdefault(sequence[i].source, set()).add(sequence[i].target)
            current_to = sequence[i].target
            for j in range(i + 1, len(sequence)):
                if sequence[j].source != current_to:
                    break
                results[sequence[i].source].add(sequence[j].target)
                current_to = sequence[j].target
    return results


FOLDER = Path(__file__).parent / "known"
SEATS = {"white": 0, "black": 1}


def rows(name):
    lines = (FOLDER / name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def fields(text):
    """Signed counts by field: white is negative."""
    return [(int(field), int(count)) for field, count in re.findall(r"(\d+):(-?\d+)", text)]


def position(variant, text):
    standing, *others = text.split(", ")
    parts = {"pinned": ""} | dict(part.split(" ", 1) for part in others)
    sides, pins = [], []
    for seat, sign in enumerate((-1, 1)):
        bar, off = (int(parts[word].split()[seat]) for word in ("bar", "off"))
        side, pinned = (
            {place_of(variant, seat, field): sign * count for field, count in fields(each) if sign * count > 0}
            for each in (standing, parts["pinned"])
        )
        sides.append({**side, BAR: bar, OFF: off})
        pins.append(pinned)
    return board_of(variant, sides, pins)


@pytest.mark.parametrize("row", rows("steps.txt"))
def test_steps(row):
    who, where, facts = row.split(" | ")
    name, colour = who.split()
    variant, seat = VARIANTS[name], SEATS[colour]
    board = position(variant, where)
    for fact in facts.split("; "):
        source, _, die, answer = fact.split(" ", 3)
        place = place_of(variant, seat, int(source))
        steps = [step for step, _ in board.search(seat).reach(board.checkers[seat], int(die)) if step.source == place]
        found = [step for step in steps if step.target == OFF] if "off" in answer else steps
        assert bool(found) == (answer in {"can", "off"}), fact


GROUPS = {"all": VARIANTS, "mirrored": [name for name in VARIANTS if name != "Fevga"]}


@pytest.mark.parametrize(
    ("name", "row"), [(name, row) for row in rows("moves.txt") for name in GROUPS[row.split(maxsplit=1)[0]]]
)
def test_moves(name, row):
    who, where, facts = row.split(" | ")
    _, colour, *dice = who.split()
    variant, seat = VARIANTS[name], SEATS[colour]
    board = position(variant, where)
    for fact in facts.split("; "):
        ends, *used = fact.split()
        hop = tuple(place_of(variant, seat, int(end)) for end in ends.split("/"))
        steps = board.search(seat).resolve(board.checkers[seat], tuple(map(int, dice)), (hop,))
        if used == ["-"]:
            assert steps is None, fact
        else:
            assert steps is not None, fact
            assert sorted(step.die for step in steps) == list(map(int, used)), fact
            assert (steps[0].source, steps[-1].target) == hop


GAMES = pytest.mark.parametrize("game", [BackgammonFamily(each) for each in VARIANTS.values()], ids=VARIANTS)


@frozen
class ByHand(GameOptions):
    """As GammonX clients play."""

    by_hand: tuple[bool, bool] = (True, True)


class PlayedByHand(BackgammonFamily):
    options_type = ByHand


@pytest.mark.parametrize(
    "variant",
    [pytest.param(each, marks=() if each.has_cube else pytest.mark.slow) for each in VARIANTS.values()],
    ids=VARIANTS,
)
def test_contract_holds_for_players_by_hand(variant):
    check_game(PlayedByHand(variant), games_played=1, strategy_moves_max=4)


@GAMES
@given(seed=SEEDS)
@settings(max_examples=25, deadline=None)
def test_every_listed_play_can_be_played_and_leads_to_one_of_the_ends(game, seed):
    chance = random.Random(seed)
    board, seat, dice = set_up_at_random(game.variant, chance), chance.randrange(2), rolled(chance)
    search, own = board.search(seat), board.checkers[seat]
    ends = {board.played(seat, sequence) for sequence in board.sequences(seat, dice)}
    listed = sorted(search.hops(own, dice))
    for hops in listed if len(listed) < 100 else chance.sample(listed, 100):
        sequence = search.resolve(own, dice, hops)
        assert sequence is not None
        assert sum(step.die for step in sequence) <= sum(dice)
        after = board.played(seat, sequence)
        left = list(dice)
        for step in sequence:
            left.remove(step.die)
        assert after in ends or after.can_move(seat, tuple(left))


GAME = pyspiel.load_game("backgammon")
POSITIONS = pytest.mark.parametrize(
    "positions", [pytest.param(150, id="150"), pytest.param(4_000, id="4,000", marks=pytest.mark.slow)]
)


def board_in(state):
    """A state of OpenSpiel as a board of ours. Its x goes up from 0 as white does, and it numbers fields alike."""
    # The end of what player x observes.
    bar_x, score_x, _, bar_o, score_o = map(int, state.observation_tensor(0)[-8:-3])
    white = {24 - field: state.board(0, field) for field in range(24)} | {25: bar_x, 0: score_x}
    black = {field + 1: state.board(1, field) for field in range(24)} | {25: bar_o, 0: score_o}
    return board_of(BACKGAMMON, (white, black))


def turns(seed):
    """The turns of one random game: the state, before a double is split in two."""
    chance = random.Random(seed)
    state = GAME.new_initial_state()
    again = False
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(chance.choice([action for action, _ in state.chance_outcomes()]))
            continue
        if not again:
            yield state
        again = not again and is_double(state)
        mover = state.current_player()
        state.apply_action(chance.choice(state.legal_actions()))
        again = again and not state.is_terminal() and state.current_player() == mover


def ends(state, mover, *, double):
    """The boards that a turn can lead to: a double is two turns in a row."""
    found = set()
    for action in state.legal_actions():
        child = state.child(action)
        if double and not child.is_terminal() and child.current_player() == mover:
            found |= ends(child, mover, double=False)
        else:
            found.add(board_in(child))
    return found


def dice_of(state):
    return tuple(sorted(int(die) for die in state.observation_tensor(0)[-2:]))


def is_double(state):
    low, high = dice_of(state)
    return low == high


@POSITIONS
def test_the_same_boards_as_open_spiel(positions):
    for state in islice((state for seed in count() for state in turns(seed)), positions):
        mover, dice, double = state.current_player(), dice_of(state), is_double(state)
        board = board_in(state)
        plays = board.plays(mover, dice * 2 if double else dice)
        ours = {board.played(mover, sequence) for sequence in plays.values()}
        assert ours == ends(state, mover, double=double), str(state)


@pytest.mark.parametrize(
    ("variant", "seat", "places"),
    [
        (BACKGAMMON, 0, {25: -1, 24: 0, 1: 23, 6: 18, 0: -100}),
        (BACKGAMMON, 1, {25: 24, 24: 23, 1: 0, 6: 5, 0: 100}),
        (FEVGA, 0, {25: -1, 24: 0, 1: 23, 6: 18, 0: -100}),
        (FEVGA, 1, {25: 24, 24: 12, 13: 23, 12: 0, 6: 6, 1: 11, 0: 100}),
    ],
)
def test_places_and_fields(variant, seat, places):
    assert {place: numbering(variant, seat)[place] for place in places} == places


@pytest.mark.parametrize("field", [-2, 25, 99, -99, 1000])
def test_other_numbers_are_no_places(field):
    assert place_of(BACKGAMMON, 0, field) is None


def test_opponents_bar_is_not_a_source():
    assert [place_of(BACKGAMMON, 0, field) for field in (24, 100)] == [None, None]
    assert [place_of(BACKGAMMON, 1, field) for field in (-1, -100)] == [None, None]


@EVERY_VARIANT
@given(seed=st.integers(0, 2**32 - 1))
def test_the_swapped_board_is_the_board_as_black_numbers_it(variant, seed):
    board = set_up_at_random(variant, random.Random(seed))
    swapped = board.swapped()
    for fields, theirs in (
        (fields_of(board), fields_of(swapped)),
        (pinned_fields_of(board), pinned_fields_of(swapped)),
    ):
        for field, checkers in enumerate(fields or ()):
            assert theirs[(field + 12) % 24 if variant is FEVGA else 23 - field] == -checkers
    one, other = view_of(board), view_of(swapped)
    assert all(one[each] == other[each][::-1] for each in ("bar", "off", "pips"))


@EVERY_VARIANT
def test_the_start(variant):
    at_start = view_of(start_of(variant))
    if variant is FEVGA:
        fields, bar, pips = {0: -1, 12: 1}, [14, 14], [360, 360]
    elif variant is PLAKOTO:
        fields, bar, pips = {0: -15, 23: 15}, [0, 0], [360, 360]
    else:
        fields, bar, pips = {0: -2, 5: 5, 7: 3, 11: -5, 12: 5, 16: -3, 18: -5, 23: 2}, [0, 0], [167, 167]
    assert {field: count for field, count in enumerate(at_start["fields"]) if count} == fields
    assert (at_start["bar"], at_start["off"], at_start["pips"]) == (bar, [0, 0], pips)
    assert at_start["pinned"] == ((0,) * 24 if variant is PLAKOTO else None)


HOPS = st.lists(
    st.tuples(st.integers(0, 25), st.integers(0, 25)).filter(lambda hop: hop[0] > hop[1]), min_size=1, max_size=4
)


@pytest.mark.parametrize(
    ("text", "hops"),
    [
        (text, tuple(tuple(map(int, hop.split("/"))) for hop in hops.split()))
        for text, hops in table(__file__, "moves of checkers, and the places from which and to which each goes")
    ],
)
def test_checkers(text, hops):
    assert read_move(text) == hops


@pytest.mark.parametrize(("text", "word"), [(text, Word(word)) for text, word in table(__file__, "words of a move")])
def test_words(text, word):
    assert read_move(text) is word


@pytest.mark.parametrize(("text", "says"), [*table(__file__, "texts that are no moves"), ("24/18 " * 100, "from/to")])
def test_texts_that_are_not_moves_are_refused(text, says):
    with pytest.raises(IllegalMove, match=says):
        read_move(text)


@given(HOPS)
def test_written_moves_are_read_back(hops):
    move = tuple(sorted(hops, reverse=True))
    assert read_move(write_move(move)) == move
    assert read_move(" ".join(f"{source} {target}" for source, target in hops)) == move

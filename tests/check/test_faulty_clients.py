"""Each fault that real clients had is found by the scenario made for it, and by few others.

`faulty_clients` differ from `correct_client` in a single fault each.
`python -m tests.check.fault_matrix` shows what each of them does in every scenario.
"""

import ast

import pytest

from gameserver.values import value
from tests.check.fault_matrix import CLIENTS, not_passed, play

CORRECT = "correct_client"
TIC_TAC_TOE, REVERSI = "Tic-tac-toe", "Reversi"


@value
class Mistake:
    scenario: str
    """The scenario that was made for it."""
    others: int
    """The number of other scenarios that found it, too, of about fifty, when this table was made."""
    game: str = TIC_TAC_TOE


FAULTS = {
    "accepts_no_challenge": Mistake("challenge_accepted", 0),
    "always_answers_a_move": Mistake("own_turn_skipped", 3, REVERSI),
    "assumes_it_is_first": Mistake("plays_second", 22),
    "believes_every_move": Mistake("opponent_moves_illegally", 0),
    "blocks_on_a_challenge": Mistake("challenge_in_a_match", 0),
    "buffer_of_256_bytes": Mistake("long_player_list", 1),
    "buffer_of_4096_bytes": Mistake("very_long_player_list", 0),
    "clears_its_match_late": Mistake("next_match_at_once", 6),
    "counts_the_keys": Mistake("extra_key_at_the_end", 1),
    "counts_the_keys_of_a_result": Mistake("loss_with_a_reason", 4),
    "dies_on_a_cancelled_challenge": Mistake("challenge_cancelled", 0),
    "dies_on_an_unknown_line": Mistake("unknown_line", 0),
    "dies_on_chat": Mistake("chat_in_a_match", 1),
    "does_not_know_a_draw": Mistake("draw", 0),
    "does_not_know_a_forfeit": Mistake("opponent_forfeits", 0),
    "does_not_know_a_pass": Mistake("opponents_turn_skipped", 3, REVERSI),
    "does_not_reconnect": Mistake("connection_breaks_in_a_match", 3),
    "drops_what_comes_with_ok": Mistake("match_in_the_packet_of_ok", 2),
    "expects_crlf": Mistake("line_ends_with_lf", 1),
    "expects_lf": Mistake("line_ends_with_cr", 0),
    "fixed_key_positions": Mistake("keys_in_another_order", 0),
    "gives_up_waiting": Mistake("long_wait", 0),
    "ignores_a_turn_without_text": Mistake("turn_without_braces", 0),
    "listens_late": Mistake("match_and_first_move_together", 2, REVERSI),
    "moves_again_after_err": Mistake("own_move_refused", 1),
    "moves_on_match": Mistake("turn_comes_after_match", 2),
    "name_anywhere_in_the_line": Mistake("name_that_contains_yours", 0),
    "names_are_words": Mistake("name_with_spaces", 4),
    "parses_maps_as_json": Mistake("name_with_quotes", 0),
    "reads_by_packet": Mistake("line_in_two_packets", 2),
    "repeats_a_move_without_answer": Mistake("delay_and_jitter", 0),
    "splits_at_colons": Mistake("name_with_spaces", 1),
    "table_of_eight_results": Mistake("ten_matches_in_a_row", 0),
    "takes_ok_for_its_move": Mistake("own_moves_after_three_restarts", 2),
    "turn_message_must_be_empty": Mistake("turn_message_with_text", 2),
    "word_anywhere_in_the_line": Mistake("name_that_is_a_word_of_the_protocol", 1),
}
LEEWAY = 2
"""Scenarios that may find a fault by chance: whoever has lost track of the board is caught by an unlucky move."""
QUICK = ("dies_on_an_unknown_line", "dies_on_chat", "fixed_key_positions", "takes_ok_for_its_move")
"""Those for every run: a fault that leads to a hang takes the ten seconds of a turn to be found."""


def test_every_fault_is_the_only_difference_and_a_small_one() -> None:
    """A subclass of the correct client, which says what it does wrong."""
    classes = [node for node in ast.parse(CLIENTS.read_text("utf-8")).body if isinstance(node, ast.ClassDef)]
    assert [client.name for client in classes] == [fault.title().replace("_", "") for fault in FAULTS]
    for client in classes:
        assert [ast.unparse(base) for base in client.bases] == ["CorrectClient"]
        assert ast.get_docstring(client)
        lines = sum(len(ast.unparse(node).splitlines()) for node in client.body)
        assert lines <= 23, f"{client.name}: a planted fault is a few lines"


@pytest.mark.parametrize("fault", QUICK)
def test_fault_is_found_by_the_scenario_made_for_it(fault: str) -> None:
    row = FAULTS[fault]
    assert not_passed(play(fault, row.game, [row.scenario])) == [row.scenario]


def test_correct_client_passes_what_finds_these_faults() -> None:
    assert not_passed(play(CORRECT, TIC_TAC_TOE, [FAULTS[fault].scenario for fault in QUICK])) == []


@pytest.mark.slow
@pytest.mark.parametrize("game", [TIC_TAC_TOE, REVERSI])
def test_correct_client_passes_every_scenario(game: str) -> None:
    assert not_passed(play(CORRECT, game)) == []


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_fault_is_found_by_its_scenario_and_few_others(fault: str) -> None:
    row = FAULTS[fault]
    found = not_passed(play(fault, row.game))
    assert row.scenario in found
    assert len(found) - 1 <= row.others + LEEWAY, found

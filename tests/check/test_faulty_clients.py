"""Each fault that real clients had is found by the scenario made for it.

`faulty_clients` has one correct client and many that differ from it in a single fault, named by its file.
"""

import ast
from pathlib import Path

import pytest

CLIENTS = Path(__file__).parent / "faulty_clients"
CORRECT = "correct_client"

FAULTS = {
    "accepts_no_challenge": "challenge_accepted",
    "always_answers_a_move": "own_turn_skipped",
    "assumes_it_is_first": "plays_second",
    "believes_every_move": "opponent_moves_illegally",
    "blocks_on_a_challenge": "challenge_in_a_match",
    "buffer_of_256_bytes": "long_player_list",
    "buffer_of_4096_bytes": "very_long_player_list",
    "clears_its_match_late": "next_match_at_once",
    "counts_the_keys": "extra_key_at_the_end",
    "dies_on_a_cancelled_challenge": "challenge_cancelled",
    "dies_on_an_unknown_line": "unknown_line",
    "dies_on_chat": "chat_in_a_match",
    "does_not_know_a_draw": "draw",
    "does_not_know_a_forfeit": "opponent_forfeits",
    "does_not_know_a_pass": "opponents_turn_skipped",
    "does_not_reconnect": "connection_breaks_in_a_match",
    "drops_what_comes_with_ok": "match_in_the_packet_of_ok",
    "expects_crlf": "line_ends_with_lf",
    "fixed_key_positions": "keys_in_another_order",
    "gives_up_waiting": "long_wait",
    "ignores_a_turn_without_text": "turn_without_braces",
    "listens_late": "match_and_first_move_together",
    "moves_again_after_err": "own_move_refused",
    "moves_on_match": "turn_comes_after_match",
    "name_anywhere_in_the_line": "name_that_contains_yours",
    "names_are_words": "name_with_spaces",
    "parses_maps_as_json": "name_with_quotes",
    "plays_only_when_subscribed": "match_called_by_a_tournament",
    "reads_by_packet": "line_in_two_packets",
    "repeats_a_move_without_answer": "delay_and_jitter",
    "splits_at_colons": "name_with_spaces",
    "table_of_eight_results": "ten_matches_in_a_row",
    "takes_ok_for_its_move": "server_restarts",
    "turn_message_must_be_empty": "turn_message_with_text",
    "word_anywhere_in_the_line": "name_that_is_a_word_of_the_protocol",
}
"""Each fault, and the scenario that was made for it."""


def test_every_client_with_a_fault_is_in_the_table() -> None:
    assert {path.stem for path in CLIENTS.glob("*.py")} == {*FAULTS, CORRECT}


@pytest.mark.parametrize("fault", FAULTS)
def test_fault_is_the_only_difference_and_a_small_one(fault: str) -> None:
    """A subclass of the correct client in a file of its own; it says what it does wrong."""
    tree = ast.parse((CLIENTS / f"{fault}.py").read_text("utf-8"))
    assert ast.get_docstring(tree)
    (client,) = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    assert client.name == fault.title().replace("_", "")
    assert [ast.unparse(base) for base in client.bases] == ["Client"]
    lines = sum(len(ast.unparse(node).splitlines()) for node in client.body)
    assert lines <= 20, "a planted fault is a few lines"

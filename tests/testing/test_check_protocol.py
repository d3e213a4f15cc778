"""The kit for protocols: it passes one that is right, and finds each planted fault, each with its own sentence."""

from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from gameserver.testing import ContractError, check_protocol
from tests.support.edits import Edit, read_edits
from tests.support.example_games import PIG, ROCK_PAPER_SCISSORS
from tests.support.own_plugins import OWN
from tests.testing.simple_json import EXAMPLE, SPEAKER

FAULTS = [*read_edits(Path(__file__).with_suffix(".txt").read_text("utf-8"))]


def test_the_example_keeps_the_contract_in_every_kind_of_game() -> None:
    """Moves in turn, a secret, a series with dice, dice that are rolled again, and moves at once."""
    kinds = [OWN.games[name] for name in ("tic-tac-toe", "mastermind", "tavli")]
    check_protocol(EXAMPLE.PROTOCOL, SPEAKER, games=(*kinds, PIG, ROCK_PAPER_SCISSORS))


@pytest.mark.parametrize(("sentence", "edit"), FAULTS)
def test_a_planted_fault_is_found(sentence: str, edit: Edit) -> None:
    with edit.applied(), pytest.raises(ContractError, match=sentence) as caught:
        check_protocol(EXAMPLE.PROTOCOL, SPEAKER)
    error = caught.value
    assert error.plugin == "simple-json (document)"
    if sentence.startswith("the game was"):
        assert error.steps[:2] == ("log_in('ann')", "find('Contract secrets')")
        assert str(error) == f"{error.plugin}, after {' '.join(error.steps)}: {error.problem}"


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"name": "Simple JSON"}, "the name 'Simple JSON' must be lower case"),
        ({"default_port": None}, "default_port is None; give a port, or None and endpoints"),
        ({"profiles": ("document", "")}, "a tuple of names"),
        ({"profiles": "document"}, "the profiles 'document' must be a tuple of names"),
        ({"options_type": None}, r"options_type\(\) raised TypeError"),
    ],
)
def test_a_wrong_definition_is_found(changed: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ContractError, match=sentence):
        check_protocol(type("Changed", (EXAMPLE.SimpleJson,), changed)(), SPEAKER)


def test_objects_that_are_not_protocols_are_caught() -> None:
    not_an_instance: Any = EXAMPLE.SimpleJson
    with pytest.raises(ContractError, match="export an instance"):
        check_protocol(not_an_instance, SPEAKER)


def test_a_speaker_that_finds_nobody_is_told() -> None:
    with pytest.raises(ContractError, match=r"no game began; let find\(\) end in Seek"):
        check_protocol(EXAMPLE.PROTOCOL, evolve(SPEAKER, find=lambda game: b'{"do": "games"}\n'))

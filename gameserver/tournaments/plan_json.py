"""Plans in JSON, alike in journals, snapshots and records: a cost that is left to the protocols is a word there."""

from typing import Any

from cattrs import Converter
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override

from gameserver.tournaments.plan import PROTOCOLS_OWN, Plan


def teach_plans(converter: Converter) -> None:
    """Have this converter read and write plans."""
    cost: Any = override(unstruct_hook=lambda policy: policy or PROTOCOLS_OWN, struct_hook=lambda word, _: word)
    costs = {"late": cost, "illegal": cost}
    converter.register_unstructure_hook(Plan, make_dict_unstructure_fn(Plan, converter, **costs))
    converter.register_structure_hook(Plan, make_dict_structure_fn(Plan, converter, **costs))

"""The check of a match's chance in the browser, against draws by the server's own rule."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import attrs
import pytest

from gameserver.chance import commitment, draw_key, drawn_lots, in_drawn_order, match_key, number_below
from gameserver.core.events import SeatsBy
from gameserver.read_model.views import ChanceView
from gameserver.records.match_record import DrawRecord

SCRIPT = Path("gameserver/web/static/chance.js")
RUN = """
globalThis.document = { addEventListener() {} };
const { verdict } = await import("./chance.mjs");
console.log(JSON.stringify(JSON.parse(process.argv[1]).map(([chance, players]) => verdict(chance, players))));
"""
# Neither in the order of the bytes, nor in that of UTF-16, by which JavaScript sorts.
NAMES = ("\U0001f3b2", "bob", "Åsa", "\ufb01")
SIDES = (6, 6, 52, 1_000_003)


def chance_of(match: int) -> tuple[ChanceView, tuple[str, ...]]:
    key, added = (
        match_key("5e" * 32, match),
        (("Åsa", "00"), ("bob", "2aff"), ("\U0001f3b2", "ee" * 32), ("\ufb01", "7f")),
    )
    secret = draw_key(key, added)
    lots = drawn_lots(len(NAMES), secret, "seats")
    players = in_drawn_order(sorted(NAMES, key=str.encode), lots)
    draws = [DrawRecord("seats", n, len(NAMES) - n, lot) for n, lot in enumerate(lots)]
    dice = list(enumerate(SIDES))
    draws += [DrawRecord("draw", n, sides, 1 + number_below(sides, secret, "draw", n)) for n, sides in dice]
    return ChanceView("", commitment(key), added, SeatsBy.DRAWN, key, str(match), tuple(draws)), players


def test_draws_by_the_rule_fit_and_the_first_other_is_named(tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node.js is not installed")
    honest = [chance_of(match) for match in range(1, 6)]
    chance, players = honest[0]
    first, *rest = chance.draws
    last = rest[-1]
    cheats: list[tuple[Any, tuple[str, ...]]] = [
        (
            attrs.evolve(chance, draws=(first, *rest[:-1], attrs.evolve(last, value=last.value % last.sides + 1))),
            players,
        ),
        (attrs.evolve(chance, key="ab" * 32), players),
        (attrs.evolve(chance, contributions=chance.contributions[:2]), players),
        (chance, (players[1], players[0], *players[2:])),
        (attrs.evolve(chance, draws=chance.draws[len(NAMES) - 1 :]), players),
    ]
    (tmp_path / "chance.mjs").write_text(SCRIPT.read_text("utf-8"), "utf-8")
    given = json.dumps([(attrs.asdict(one), seats) for one, seats in (*honest, *cheats)])
    run = subprocess.run([node, "--input-type=module", "-e", RUN, given], cwd=tmp_path, capture_output=True, check=True)
    *fits, changed, other_secret, contribution, seats, undrawn = json.loads(run.stdout)
    assert fits == ["7 draws as committed."] * len(honest)
    assert changed == f"Draw 3 of “draw” is {last.value % last.sides + 1}, and {last.value} by the rule."
    assert other_secret == "The secret is not the one that was committed to."
    assert contribution.startswith("Draw ")
    assert undrawn.startswith("The seats are not those of the lot")
    assert seats == f"The seats are not those of the lot, {', '.join(players)}."

"""The page about checkable chance: its worked example, and its program on a file that was exported."""

import re
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from gameserver.chance import draw_key, drawn_lots, in_drawn_order, lot, match_key, number_below
from gameserver.exports.fairness import chance_rows
from gameserver.exports.matches import json_lines
from tests.exports.matches import played
from tests.support.lobbies import SEED

PAGE = (Path(__file__).parents[2] / "docs" / "fairness.md").read_text("utf-8")
COMMITMENT = sha256(bytes.fromhex(SEED)).hexdigest()


def test_worked_example_is_right() -> None:
    example = PAGE.split("## A worked example")[1].split("\n## ")[0]
    rows = dict(re.findall(r"^\| (\S.*?) \| (.*) \|$", example.replace(r"`\|`", "|"), re.MULTILINE))
    values = {name: re.sub("[` ]", "", text) for name, text in rows.items()}
    seed = values["S"]
    assert sha256(bytes.fromhex(seed)).hexdigest() == values["SHA-256(S)"]
    secret = match_key(seed, 17)
    assert (secret, sha256(bytes.fromhex(secret)).hexdigest()) == (
        values["K = HMAC(S, `match|17`)"],
        values["SHA-256(K)"],
    )
    key = draw_key(secret, (("bob", "2aff"), ("Åsa", "00")))
    assert values["contributions"] == (b"\0\3bob\0\2\x2a\xff" + b"\0\4\xc3\x85sa\0\1\0").hex()
    assert key == values["D"]
    assert in_drawn_order(("bob", "Åsa"), drawn_lots(2, key, "seats")) == ("Åsa", "bob")
    assert rows["the first six dice"] == ", ".join(str(1 + number_below(6, key, "draw", n)) for n in range(6))
    first_word = int(values["HMAC(D, `draw|0|0`)"][:16], 16)
    assert str(first_word) in rows["the first die"]
    lots = {name: f"{lot(seed, 'number', name):064x}"[:8] for name in ("ann", "bob", "Åsa")}
    assert re.findall(r"`(\S+)` `(\w+)\.\.\.`", rows["lots of `number`"]) == list(lots.items())
    assert sorted(lots.values()) == list(lots.values())


@pytest.mark.parametrize("is_changed", [False, True])
def test_program_for_sceptics(tmp_path: Path, is_changed: bool) -> None:
    (program,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    (tmp_path / "check.py").write_text(program, "utf-8")
    text = "".join(json_lines(chance_rows([played("Backgammon")], {COMMITMENT: SEED})))
    if is_changed:
        text = re.sub(r'"value":(\d)\}\]', lambda last: f'"value":{int(last[1]) % 6 + 1}}}]', text)
    (tmp_path / "chance.jsonl").write_text(text, "utf-8")
    words = [sys.executable, "check.py", "chance.jsonl"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    if is_changed:
        assert "AssertionError: (1, {'purpose': 'draw'" in done.stderr
    else:
        assert re.fullmatch(r"match 1: \d+ draws as committed\n", done.stdout), done.stderr

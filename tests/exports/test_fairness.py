"""The page about checkable chance, with its example and its program; and `gameserver verify`, with planted cheats."""

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from functools import partial
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from sqlite3 import connect
from typing import Any

import pytest
from attrs import evolve
from click.testing import CliRunner, Result

from gameserver.chance import commitment, draw_key, drawn_lots, in_drawn_order, lot, match_key, number_below
from gameserver.cli.main import main
from gameserver.core.commands import Contribute, NewEpoch
from gameserver.core.events import TournamentCreated
from gameserver.exports.fairness import ChanceFault, ChanceRow, chance_of, chance_rows, read_rows, replay, verify
from gameserver.exports.matches import NotReadable, json_lines
from gameserver.policies import LatePolicy
from gameserver.tournaments.model import RegisterEntrant, StartTournament
from gameserver.values import evolved
from tests.exports.matches import GAMES as REAL_GAMES
from tests.exports.matches import played
from tests.support.games import BestOf, Countdown, Dice, catalogue
from tests.support.journals import open_journal
from tests.support.lobbies import SEED as EPOCH_SEED
from tests.support.lobbies import LobbyHarness
from tests.support.tables import table
from tests.support.tournament_hall import GAMES, RULES, SEED, Hall

DICE = Dice()
"""For the config of the commands."""
NAMES = ("ann", "bob", "cid", "dan", "eve")
PAGE = (Path(__file__).parents[2] / "docs" / "fairness.md").read_text("utf-8")
COMMITMENT = sha256(bytes.fromhex(EPOCH_SEED)).hexdigest()


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


def other_die(row: dict[str, Any]) -> None:
    row["draws"][-1]["value"] = row["draws"][-1]["value"] % 6 + 1


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (None, ""),
        (other_die, "AssertionError: (1, {'purpose': 'draw'"),
        (lambda row: row["draws"].pop(-2), "AssertionError: (1, 'missing before', {'purpose': 'draw'"),
        (lambda row: row["draws"].pop(0), "AssertionError: (1, 'drawn')"),
        (lambda row: row.update(seats_by="room"), "AssertionError: (1, 'room')"),
        (lambda row: row["players"].reverse(), "AssertionError: (1, ["),
    ],
)
def test_program_for_sceptics(tmp_path: Path, change: Callable[[dict[str, Any]], object] | None, said: str) -> None:
    (program,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    (tmp_path / "check.py").write_text(program, "utf-8")
    (text,) = json_lines(chance_rows([row_of("Backgammon")]))
    row = json.loads(text)
    if change is not None:
        change(row)
    (tmp_path / "chance.jsonl").write_text(json.dumps(row) + "\n", "utf-8")
    words = [sys.executable, "check.py", "chance.jsonl"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    if said:
        assert said in done.stderr
    else:
        assert re.fullmatch(r"match 1: as committed, draws: \d+\n", done.stdout), done.stderr


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data file with a told epoch, matches with contributions, a Swiss with a bye, and a pair with the same dice."""
    hall = Hall(GAMES, RULES, seed=EPOCH_SEED)
    hall.come(*NAMES)
    for game in range(2):
        hall.do(Contribute(hall.sessions["ann"], "2aff"))
        for name in ("ann", "bob"):
            hall.seek(hall.sessions[name], "Dice")
        roll(hall, until_points=9 * game)
    for which, changes in (("swiss", {"rounds": 2}), ("hanze", {"same_chance": True, "games": 2})):
        number = len(hall.lobby.tournaments) + 1
        assert isinstance(hall.create(which, "Dice", **changes), TournamentCreated)
        for name in NAMES[: 5 if which == "swiss" else 3]:
            hall.act(RegisterEntrant(name), number)
        hall.act(StartTournament(0, by="teacher"), number)
        hall.do(Contribute(hall.sessions["bob"], "00"))
        while hall.matches:
            roll(hall, until_points=5)
    hall.do(NewEpoch("ab" * 32))
    path = tmp_path_factory.mktemp("fairness") / "data.sqlite3"
    with closing(open_journal(str(path))) as journal:
        journal.append([], [*hall.records, *hall.other_records])
    path.with_name("gameserver.toml").write_text(f'plugins = ["{__name__}:DICE"]\n', "utf-8")
    return path


def roll(hall: Hall, until_points: int) -> None:
    """Play the first match until somebody has so many points, then have its first player give up."""
    number = hall.matches[0].id
    while (match := hall.lobby.matches.get(number)) is not None:
        acting = match.seats[match.turn.seats[0]].session
        if max(match.state.points) < until_points:
            hall.play(acting, "roll")
        else:
            hall.end(match, 1)


def run(data: Path, *words: str) -> Result:
    config = data.with_name("gameserver.toml")
    options = ["--data", str(data), *(["--config", str(config)] if config.exists() else [])]
    return CliRunner().invoke(main, [*words, *options])


@pytest.fixture(scope="module")
def exported(data: Path) -> str:
    return run(data, "export", "chance").output


def test_what_is_on_record_is_as_committed(data: Path, exported: str, tmp_path: Path) -> None:
    file = tmp_path / "chance.jsonl"
    file.write_text(exported, "utf-8")
    rows = [json.loads(line) for line in exported.splitlines()]
    draws = {row["match"]: len(row["draws"]) for row in rows if row["kind"] == "match"}
    labels = Counter(row["chance_key"] for row in rows if row["kind"] == "match")
    assert max(labels.values()) == 2, "there are games with the same dice"
    whole = f"{sum(draws.values())} draws of {len(draws)} matches as committed\n"
    assert run(data, "verify").output == whole
    assert run(data, "verify", str(file)).output == f"{file}: {whole}"
    assert run(data, "verify", "1").output == "match 1: 1 draw as committed\n"
    given = f"match 3: {draws[3]} draws as committed, the seats were given by tournament\n"
    assert run(data, "verify", "3").output == given
    own = [row["match"] for row in rows if row["kind"] == "match" and row["tournament"] == 1]
    said = f"lots and {sum(draws[match] for match in own)} draws of {len(own)} matches as committed"
    assert run(data, "verify", "--tournament", "1").output == f"tournament 1: {said}\n"


Rows = list[dict[str, Any]]


def of(rows: Rows, kind: str, number: int = 1) -> dict[str, Any]:
    """The row of an epoch, a tournament or a match, by its number."""
    name = "number" if kind == "epoch" else kind
    return next(row for row in rows if row["kind"] == kind and row[name] == number)


def swiss(rows: Rows) -> dict[str, Any]:
    """The row of the Swiss without its standings, which follow from what is changed."""
    row = of(rows, "tournament")
    row.pop("standings", None)
    return row


def other_secret(rows: Rows) -> None:
    one = of(rows, "match")
    one["key"] = one["commitment"] = one["seed"]


def skipped_match(rows: Rows) -> None:
    rows.remove(of(rows, "match", 2))


def tried_again(rows: Rows) -> None:
    """The second match of the tournament takes the place of the first."""
    first, second = of(rows, "match", 3), of(rows, "match", 4)
    for name in ("chance_key", "commitment", "key", "draws", "games"):
        second[name] = first[name]


def ground_label(rows: Rows) -> None:
    """Another label of the operator's choice, with all that follows from it."""
    match = of(rows, "match", 3)
    pairing = next(one for one in of(rows, "tournament")["pairings"] if one["match"] == 3)
    match["chance_key"] = pairing["chance"] = pairing["chance"].replace("|0|", "|7|", 1)
    match["key"] = match_key(match["seed"], match["chance_key"])
    match["commitment"] = commitment(match["key"])
    key = draw_key(match["key"], match["contributions"])
    for draw in match["draws"]:
        draw["value"] = 1 + number_below(draw["sides"], key, draw["purpose"], draw["n"])


def one_more_draw(rows: Rows) -> None:
    """The draw that would have come next."""
    match = of(rows, "match", 2)
    match["draws"].append(right_draw(match, 1 + match["draws"][-1]["n"], 6))


def other_sides(rows: Rows) -> None:
    """The first die drawn from more sides than it has, as it would come then."""
    match = of(rows, "match", 2)
    match["draws"][1] = right_draw(match, 0, 7)


def right_draw(match: dict[str, Any], n: int, sides: int) -> dict[str, Any]:
    key = draw_key(match["key"], match["contributions"])
    return {"purpose": "draw", "n": n, "sides": sides, "value": 1 + number_below(sides, key, "draw", n)}


def undrawn_seats(rows: Rows) -> None:
    """The seats the other way round, and the draw that said otherwise left out."""
    match = of(rows, "match", 2)
    del match["draws"][0]
    match["players"].reverse()


def swapped_numbers(rows: Rows) -> None:
    one, other = of(rows, "tournament")["entrants"][:2]
    one["number"], other["number"] = other["number"], one["number"]


def tampered(rows: Rows, row: str, path: str, what: str) -> None:
    """Change one place of a row: `gone`, `reversed`, `+` something more, or a value, as JSON."""
    kind, number = row.split()
    found: Any = of(rows, kind, int(number))
    *steps, last = (int(step) if step.lstrip("-").isdigit() else step for step in path.split("."))
    for step in steps:
        found = found[step]
    if what == "gone":
        found.pop(last)
    elif what == "reversed":
        found[last].reverse()
    elif what.startswith("+"):
        found[last].append(json.loads(what[1:]))
    else:
        found[last] = json.loads(what)


CHEATS: list[tuple[Callable[[Rows], object], str]] = [
    (other_sides, "match 2, game 1, move 1: draw 0 of 'draw' is from 7 sides, the rules have 6"),
    (one_more_draw, "match 2: draw . of 'draw' is one more than the rules of Dice ask for"),
    (undrawn_seats, "match 2: its seats are not those that the lots give"),
    (other_secret, "match 1: its secret does not follow from its seed"),
    (skipped_match, "match 2 is missing: epoch 1 has the matches 1 to"),
    (lambda rows: rows.append(of(rows, "match")), "match 1 is there twice"),
    (lambda rows: rows.remove(of(rows, "tournament", 2)), "tournament 2 of match .* is missing"),
    (tried_again, "match 4: its chance was that of match 3 already"),
    (ground_label, "tournament 1: the label of pairing 1 is not that of its meeting"),
    (swapped_numbers, "tournament 1: by lot .* comes before"),
    (lambda rows: swiss(rows)["pairings"][0]["seats"].reverse(), "in pairing 1 the lot gives"),
    (
        lambda rows: swiss(rows)["byes"][0].update(player=swiss(rows)["pairings"][0]["seats"][0]),
        "had the bye of round 1",
    ),
    (lambda rows: rows.insert(1, {"kind": "wish"}), "line 2 is not what"),
    *((partial(tampered, row=row, path=path, what=what), said) for row, path, what, said in table(__file__, "cheats")),
]


@pytest.mark.parametrize("number", range(len(CHEATS)))
def test_cheat_is_found(exported: str, number: int) -> None:
    cheat, said = CHEATS[number]
    rows = [json.loads(line) for line in exported.splitlines()]
    cheat(rows)
    with pytest.raises(ChanceFault, match=said) as found:
        verify(read_rows(BytesIO(b"".join(json.dumps(row).encode() + b"\n" for row in rows))), GAMES)
    assert "\n" not in str(found.value)


def row_of(game: str, **options: Any) -> ChanceRow:
    return chance_of(played(game, **options), {COMMITMENT: EPOCH_SEED})


@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("Backgammon", {}),
        ("Backgammon", {"moves_max": 9}),
        ("Tavli", {"length": "cash"}),
        ("Tic-tac-toe", {}),
        ("Tic-tac-toe", {"moves_max": 2}),
    ],
)
def test_replay_asks_for_the_draws_on_record(game: str, options: dict[str, Any]) -> None:
    row = row_of(game, **options)
    replay(row, REAL_GAMES)
    *before, last = row.games
    changes = [
        (evolve(row, games=(*before, evolve(last, game="Dice"))), "the rules ask for"),
        (evolve(row, games=(*before, evolve(last, moves=((1 - last.moves[0][0], *last.moves[0][1:]),)))), "not to act"),
    ]
    if row.reason == "played":
        changes += [
            (evolve(row, games=tuple(before), draws=()), "is missing|are missing"),
            (evolve(row, games=(*before, evolve(last, points=(0, 9)))), "by the rules it ends otherwise"),
            (evolve(row, games=(*before, evolve(last, moves=(*last.moves, last.moves[-1])))), "was over before"),
            (evolve(row, games=(*before, evolve(last, reason="resigned"))), "by the rules it was played out"),
        ]
    else:
        changes.append((evolve(row, games=(*before, evolve(last, reason="played"))), "it goes on after its last move"))
    if row.draws[-1].purpose == "draw":
        changes.append((evolve(row, draws=row.draws[:-1]), "a draw of 'draw' is missing"))
    for changed, said in changes:
        with pytest.raises(ChanceFault, match=said):
            replay(changed, REAL_GAMES)


def test_moves_for_late_players_are_replayed() -> None:
    harness, games = LobbyHarness(catalogue(Countdown(), BestOf())), catalogue(Countdown(), BestOf())
    harness.opened("Best-of")
    match = harness.lobby.matches[1]
    policies = evolve(match.policies, late=LatePolicy.RANDOM_MOVE)
    harness.lobby.matches[1] = evolved(match, policies=policies)
    while (now := harness.lobby.matches.get(1)) is not None:
        harness.now_ms = now.late_ms or 0
        harness.time_up()
    row = chance_of(harness.records[0], {})
    replay(row, games)
    seats, first, *others = row.draws
    for changed, said in (
        ({"sides": 7}, "from 7 sides"),
        ({"value": 3 - first.value}, "it is not the one that was drawn"),
    ):
        with pytest.raises(ChanceFault, match=said):
            replay(evolve(row, draws=(seats, evolve(first, **changed), *others)), games)


def test_game_that_is_not_here_cannot_be_replayed(exported: str, tmp_path: Path) -> None:
    file = tmp_path / "chance.jsonl"
    file.write_text(exported, "utf-8")
    found = run(file, "verify", str(file))
    matches = exported.count('"kind":"match"')
    assert found.output.endswith(f"; the games installed here cannot replay {matches} of them\n")
    assert found.exit_code == 0
    row = row_of("Backgammon")
    for changed in (evolve(row, game_version=9), evolve(row, options="no"), evolve(row, game="Chess")):
        with pytest.raises(NotReadable):
            replay(changed, REAL_GAMES)


def test_changed_file_ends_with_1(exported: str, data: Path, tmp_path: Path) -> None:
    file = tmp_path / "chance.jsonl"
    file.write_text(exported + "{}\n", "utf-8")
    number = 1 + exported.count("\n")
    found = run(data, "verify", str(file))
    said = f"gameserver: line {number} is not what `gameserver export chance` writes\n"
    assert (found.exit_code, found.output) == (1, said)


def test_changed_record_ends_with_1(data: Path, tmp_path: Path) -> None:
    copy = tmp_path / "data.sqlite3"
    with closing(connect(data)) as connection:
        connection.execute("VACUUM INTO ?", (str(copy),))
    with closing(connect(copy)) as connection, connection:
        connection.execute("UPDATE move SET move = 'six' WHERE match = 2 AND seat IS NULL")
    found = run(copy, "verify", "2")
    assert (found.exit_code, "no server writes: invalid literal" in found.output) == (1, True)


def test_secret_that_is_not_told_yet_has_a_code_of_its_own(tmp_path: Path) -> None:
    hall = Hall(GAMES, RULES)
    hall.run(*NAMES[:2], which="hanze", game="Dice", games=2, same_chance=True)
    roll(hall, until_points=5)
    with closing(open_journal(str(tmp_path / "data.sqlite3"))) as journal:
        journal.append([], [*hall.records, *hall.other_records])
    for words, said in (
        (("1",), "match 1: its secret is told when"),
        (("-t", "1"), "tournament 1: its seed is told when"),
    ):
        found = run(tmp_path / "data.sqlite3", "verify", *words)
        assert (found.exit_code, said in found.output) == (3, True)
    assert run(tmp_path / "data.sqlite3", "verify").output.startswith(
        "0 draws of 0 matches as committed; the secrets of 1"
    )
    assert SEED not in run(tmp_path / "data.sqlite3", "export", "chance").output

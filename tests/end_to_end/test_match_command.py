"""`gameserver match`: many games of two, and who is the better one."""

import json
import re
import signal
import sqlite3
import sys
from contextlib import ExitStack, closing
from pathlib import Path

from click.testing import CliRunner

from gameserver.cli.main import main
from tests.end_to_end.recorded import Recorded
from tests.end_to_end.server_process import Program, Server
from tests.end_to_end.support import COMMAND, EXAMPLES, environment, eventually

RANDOM_BOT = f"{sys.executable} {EXAMPLES}/python/random_bot.py --host {{host}} --port {{port}} --name {{name}}"
FOR_EVER = f"{RANDOM_BOT} --game {{game}} --matches 1000"
ILLEGAL_BOT = f"""
import sys
sys.path.insert(0, "{EXAMPLES}/python")
import random_bot

send = random_bot.Bot.send
random_bot.Bot.send = lambda bot, command, secret="": send(
    bot, "move 99" if command.startswith("move ") else command, secret
)
random_bot.main()
"""
EXACTLY = f"{RANDOM_BOT} --game {{game}} --matches {{games}}"


def games_of(server: Server, *players: str) -> list[Recorded]:
    """The finished matches of exactly these players."""
    return [match for match in server.matches() if set(match.players) == set(players)]


def run(server: Server, *arguments: str, games: int | None = None, exit_code: int = 0) -> str:
    """The output of `gameserver match`, in this process. The game is Tic-tac-toe unless told."""
    game = [] if "--game" in arguments else ["--game", "Tic-tac-toe"]
    number = [] if games is None else ["--games", str(games)]
    done = CliRunner().invoke(main, ["match", *arguments, *game, *number, "--data", str(server.data)])
    assert done.exit_code == exit_code, done.output
    return done.output


def test_two_house_players_and_what_their_games_say(server: Server) -> None:
    said = run(server, "house-greedy", "house-random", "--game", "Reversi", games=6)
    assert "house-greedy against house-random, 6 games" in said
    assert "likelihood of superiority" in said
    assert "inf" not in said
    assert "nan" not in said
    games = games_of(server, "house-greedy", "house-random")
    assert len(games) == 6
    assert len({tuple(game.players) for game in games}) == 2, "both have had both seats"
    assert "ann is not logged in" in run(server, "ann", "house-random", exit_code=1)
    assert "two players" in run(server, "ann", "ann", exit_code=1)
    assert "--games 300" in run(server, "ann", "bob", games=250, exit_code=2)
    assert "the match is between ann and bob" in run(server, "ann", "bob", "--bot", "cyd=x", exit_code=2)


def plan_of(server: Server, title: str) -> dict[str, object]:
    """Reads the plan of the latest match of this title from the records."""
    with closing(sqlite3.connect(server.data)) as records:
        query = "SELECT plan FROM tournament WHERE name LIKE ? ORDER BY tournament DESC"
        (plan,) = records.execute(query, (f"{title}, %",)).fetchone()
    return json.loads(plan)


def test_the_dice_of_a_game_are_known_to_nobody_unless_asked_for(server: Server) -> None:
    def match(*arguments: str) -> str:
        bots = ["--bot", f"hal={EXACTLY}"] if "hal" in arguments else []
        return run(server, *arguments, *bots, games=2)

    assert "warning" not in match("hal", "house-random")
    plan = plan_of(server, "hal - house-random")
    assert (plan["same_chance"], plan["pause_ms"]) == (False, 0), "the house needs no pause"
    assert "knows those of the second" in match("hal", "house-random", "--same-dice", "--pause", "0.1")
    plan = plan_of(server, "hal - house-random")
    assert (plan["same_chance"], plan["pause_ms"]) == (True, 100)
    assert "warning" not in match("house-perfect", "house-random", "--same-dice"), "both of its games begin together"


def test_a_bot_that_loses_by_illegal_moves_is_told_so(server: Server, tmp_path: Path) -> None:
    """Four of four: without the reason, the report would be -382 Elo and nothing else."""
    (tmp_path / "illegal.py").write_text(ILLEGAL_BOT)
    illegal = f"{sys.executable} {tmp_path}/illegal.py --host {{host}} --port {{port}} --name {{name}} --game {{game}}"
    said = run(server, "ira", "house-random", "--bot", f"ira={illegal} --matches 100", games=4)
    numbers = sorted(match.match for match in games_of(server, "ira", "house-random"))
    assert "ira lost 4 of 4 games by other means than play: 4 by an illegal move" in said
    assert f"`gameserver blame {numbers[0]}` explains one" in said
    assert f"ira lost 4 games: 4 by an illegal move (matches {', '.join(map(str, numbers))})" in said
    assert said.index("illegal") < said.index("Elo (95 %"), "the reason comes before the figure"


def test_a_sequential_test_ends_the_match(server: Server) -> None:
    players = "house-perfect", "house-random-2"
    said = run(server, *players, "--sprt", "0", "100")
    assert "H1 is accepted: house-perfect's lead is rather 100 than 0" in said
    assert len(games_of(server, "house-perfect", "house-random-2")) < 200, "of 1000"
    wrong = run(server, *players, "--sprt", "5", "0", exit_code=2)
    assert wrong == "gameserver: --sprt: elo0 must be less than elo1, and 5 is not less than 0\n"


def test_two_bots_are_started_for_the_match_and_ended_after_it(server: Server, tmp_path: Path) -> None:
    """One would play on for ever, and both look for a game on their own: only the games of the match are on record."""
    bots = ["--bot", f"ann={FOR_EVER}", "--bot", f"bob={EXACTLY}", "--bot-log", str(tmp_path / "logs")]
    assert "ann against bob, 4 games" in run(server, "ann", "bob", *bots, "--pause", "0", games=4)
    assert [match.reason for match in games_of(server, "ann", "bob") if match.reason != "void"] == ["played"] * 4
    assert (tmp_path / "logs" / "bob.log").read_text().count("RESULT") == 4
    watcher = server.client("zoe")
    eventually(lambda: watcher.ask("get playerlist") == "OK" and '"ann"' not in watcher.line(), "ann has gone")


def test_a_bot_that_cannot_play_ends_the_match_with_its_last_words(server: Server) -> None:
    numbers: list[str] = []

    def match(bot: str, *more: str) -> str:
        said = run(server, "cyd", "house-random", *more, "--bot", f"cyd={bot}", games=10, exit_code=1)
        numbers.extend(re.findall(r"this is tournament (\d+):", said))
        return said

    crash = match(f"{sys.executable} -c \"import sys; print('no model.bin here'); sys.exit(3)\"")
    assert "gameserver: cyd ended with exit code 3 before it had logged in; its last output:" in crash
    assert "    no model.bin here" in crash
    assert "did not log in in time (--login-time), without any output" in match(
        f"{sys.executable} -c 'import time; time.sleep(60)'", "--login-time", "1"
    )
    assert "cyd cannot be started: no-such-bot: No such file" in match("no-such-bot")
    assert "cannot be made: Not a directory" in match("x", "--bot-log", str(server.data / "logs"))
    once = match(f"{RANDOM_BOT} --game Tic-tac-toe")
    assert re.search("cyd against house-random, (1 game|2 games)\n", once), "the second may have begun when it left"
    assert re.search("cyd ended with exit code 0 after [12] of 10 games; its last output:\n", once)
    assert len(numbers) == 4
    for number in numbers:
        shown = CliRunner().invoke(main, ["tournament", "status", "-t", number, "--json", "--data", str(server.data)])
        assert json.loads(shown.output)["phase"] == "cancelled", shown.output
    listed = CliRunner().invoke(main, ["tournament", "list", "--data", str(server.data)]).output
    assert "cyd" not in listed, "a match is no event"


def test_ctrl_c_ends_the_bots_too(server: Server, tmp_path: Path, to_end: ExitStack) -> None:
    arguments = ["match", "eve", "fay", "--game", "Tic-tac-toe", "--games", "1000", "--data", str(server.data)]
    arguments += ["--pause", "0"]
    arguments += ["--bot", f"eve={FOR_EVER}", "--bot", f"fay={FOR_EVER}", "--bot-log", str(tmp_path)]
    command = Program.launch(to_end, [COMMAND, *arguments], environment())
    eventually(lambda: len(games_of(server, "eve", "fay")) > 3, "some games are over")
    command.process.send_signal(signal.SIGINT)
    said, _ = command.end()
    assert "likelihood of superiority" in said
    watcher = server.client("gus")
    eventually(
        lambda: watcher.ask("get playerlist") == "OK" and "gus" in (line := watcher.line()) and "fay" not in line,
        "both have gone",
    )
    assert {match.reason for match in games_of(server, "eve", "fay")} <= {"played", "void"}, (
        "nobody lost because a bot was ended"
    )

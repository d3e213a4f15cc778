"""A protocol that is not ours, installed as a package: its players meet those of the text protocol."""

import json
import random
import re
import subprocess
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from games.tic_tac_toe import GAME
from tests.end_to_end.blocking_client import BlockingClient
from tests.end_to_end.example_bots import ExampleBot, python_command
from tests.end_to_end.packages import installed
from tests.end_to_end.server_process import Server
from tests.end_to_end.support import COMMAND, DEADLINE_S, LOCAL, environment, run
from tests.end_to_end.test_tournaments import rows_of

LISTEN = tuple(f"{name}={LOCAL}:0" for name in ("strategic", "simple-json", "admin"))


@pytest.fixture(scope="module")
def with_simple_json(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment in which `examples/simple_json` is installed."""
    return installed("simple_json", tmp_path_factory.mktemp("simple_json"))


class SimpleJsonBot(BlockingClient):
    """Plays Tic-tac-toe at random. `told` is everything that it heard."""

    def __init__(self, server: Server, name: str) -> None:
        (row,) = [line for line in server.printed.lines if line.startswith("simple-json")]
        found = re.search(rf"{LOCAL}:(\d+)", row)
        assert found, row
        super().__init__(int(found[1]), banner=False)
        server._clients.append(self)
        self.name = name
        self.told: list[dict[str, Any]] = []
        assert self.do("login", name=name) == {"tell": "ok"}

    def line(self) -> str:
        while b"\n" not in self._unread:
            data = self.socket.recv(65_536)
            if not data:
                raise EOFError
            self._unread += data
        line, _, self._unread = self._unread.partition(b"\n")
        return line.decode()

    def hear(self) -> dict[str, Any]:
        """The next message."""
        self.told.append(json.loads(self.line()))
        return self.told[-1]

    def do(self, what: str, **more: Any) -> dict[str, Any]:
        """Ask for something; the next message."""
        self.send_bytes(json.dumps({"do": what, **more}).encode() + b"\n")
        return self.hear()

    def play(self, games: int) -> list[str]:
        """Play so many games; their results."""
        chance, results = random.Random(self.name), []
        state, seat, players = GAME.start(GAME.options_type()), 0, []
        while len(results) < games:
            message = self.hear()
            if message["tell"] == "match":
                state, seat, players = GAME.start(GAME.options_type()), message["you"], message["players"]
            elif message["tell"] == "move":
                state = state.play(players.index(message["player"]), GAME.read_move(message["move"]))
            elif message["tell"] == "your turn":
                move = GAME.write_move(chance.choice(state.legal_moves(seat)))
                self.send_bytes(json.dumps({"do": "move", "move": move}).encode() + b"\n")
            elif message["tell"] == "over":
                results.append(message["result"])
        return results


def test_it_is_listed_and_its_player_takes_part_in_a_tournament(
    serve: Any, with_simple_json: dict[str, str], tmp_path: Path
) -> None:
    done = run("plugins", env=with_simple_json)
    assert (done.returncode, done.stderr) == (0, "")
    (row,) = [line for line in done.stdout.splitlines() if "simple-json" in line]
    assert "gameserver.protocols entry point 'simple-json' (simple_json:PROTOCOL)" in row
    server = serve(env=with_simple_json, listen=LISTEN)
    ann = SimpleJsonBot(server, "ann")
    arguments = f"run Cup --game Tic-tac-toe --house house-random --wait 0 --out {tmp_path} --set pause_ms=0"
    command = [COMMAND, "tournament", *arguments.split(), "--data", str(server.data)]
    with ExitStack() as to_end:
        text = [*python_command("random_bot.py"), "--game", "Tic-tac-toe"]
        ExampleBot.start(to_end, text, server.port, "bob", "--matches", 2)
        server.log.wait_for("player entered", "player=bob")
        watcher = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment())
        own = ann.play(2)
        printed, _ = watcher.communicate(timeout=3 * DEADLINE_S)
        assert watcher.returncode == 0, printed.decode()
    standings = rows_of(tmp_path / "cup-standings.csv")
    assert {row["player"]: row["played"] for row in standings} == {"ann": "2", "bob": "2", "house-random": "2"}
    assert {match.reason for match in server.matches()} == {"played"}
    moves = [(told["player"], told["move"]) for told in ann.told if told["tell"] == "move"]
    hers = [match for match in server.matches() if "ann" in match.players]
    assert moves == [move for match in hers for move in match.moves]
    assert own == [match.results[match.players.index("ann")] for match in hers]

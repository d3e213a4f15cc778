"""A game and a protocol that are not ours, installed as packages; players of both protocols meet."""

import json
import random
import re
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from games.tic_tac_toe import GAME
from tests.end_to_end.blocking_client import BlockingClient, begin
from tests.end_to_end.example_bots import ExampleBot, python_command
from tests.end_to_end.packages import installed
from tests.end_to_end.server_process import Server
from tests.end_to_end.support import LOCAL, run

LISTEN = tuple(f"{name}={LOCAL}:0" for name in ("strategic", "simple-json"))


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

    def play(self) -> str:
        """Play a game; its result."""
        chance = random.Random(self.name)
        while (message := self.hear())["tell"] != "over":
            if message["tell"] == "match":
                state, seat, players = GAME.start(GAME.options_type()), message["you"], message["players"]
            elif message["tell"] == "move":
                state = state.play(players.index(message["player"]), GAME.read_move(message["move"]))
            elif message["tell"] == "your turn":
                move = GAME.write_move(chance.choice(state.legal_moves(seat)))
                self.send_bytes(json.dumps({"do": "move", "move": move}).encode() + b"\n")
        return str(message["result"])


def test_they_are_listed_and_played(serve: Any, tmp_path: Path, to_end: ExitStack) -> None:
    env = installed(["pig", "simple_json"], tmp_path)
    done = run("plugins", env=env)
    assert (done.returncode, done.stderr) == (0, "")
    (row,) = [line for line in done.stdout.splitlines() if "Pig" in line]
    assert "gameserver.games entry point 'pig' (pig:GAME)" in row
    (row,) = [line for line in done.stdout.splitlines() if "simple-json" in line]
    assert "gameserver.protocols entry point 'simple-json' (simple_json:PROTOCOL)" in row
    server = serve(env=env, listen=LISTEN)
    play_pig(server)
    play_between_protocols(server, to_end)


def play_pig(server: Server) -> None:
    cyd, dan = server.client("cyd"), server.client("dan")
    assert cyd.ask("get gamelist") == "OK"
    assert '"Pig"' in cyd.expect("SVR GAMELIST [")
    first, second = begin(cyd, dan, "pig")
    assert first.ask("move roll") == "OK"
    assert first.expect("SVR GAME MOVE ") == second.expect("SVR GAME MOVE ")
    assert second.ask("forfeit") == "OK"
    assert first.news()[-1].startswith("SVR GAME WIN ")


def play_between_protocols(server: Server, to_end: ExitStack) -> None:
    ann = SimpleJsonBot(server, "ann")
    text = [*python_command("random_bot.py"), "--game", "Tic-tac-toe"]
    bob = ExampleBot.start(to_end, text, server.port, "bob", "--matches", 1)
    assert ann.do("find", game="Tic-tac-toe") == {"tell": "ok"}
    result = ann.play()
    bob.finish()
    match = server.matches()[-1]
    assert match.reason == "played"
    assert [(told["player"], told["move"]) for told in ann.told if told["tell"] == "move"] == match.moves
    assert result == match.results[match.players.index("ann")]

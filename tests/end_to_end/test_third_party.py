"""A game and a protocol that are not ours, installed as packages; players of both protocols meet."""

import json
import socket
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.end_to_end.blocking_client import begin
from tests.end_to_end.packages import installed
from tests.end_to_end.server_process import Server
from tests.end_to_end.support import DEADLINE_S, LOCAL, run

LISTEN = tuple(f"{name}={LOCAL}:0" for name in ("strategic", "simple-json"))


def test_they_are_listed_and_played(serve: Any, tmp_path: Path) -> None:
    env = installed(["pig", "simple_json"], tmp_path)
    done = run("plugins", env=env)
    assert (done.returncode, done.stderr) == (0, "")
    (row,) = [line for line in done.stdout.splitlines() if "Pig" in line]
    assert "gameserver.games entry point 'pig' (pig:GAME)" in row
    (row,) = [line for line in done.stdout.splitlines() if "simple-json" in line]
    assert "gameserver.protocols entry point 'simple-json' (simple_json:PROTOCOL)" in row
    server = serve(env=env, listen=LISTEN)
    play_pig(server)
    play_between_protocols(server)


def play_pig(server: Server) -> None:
    cyd, dan = server.client("cyd"), server.client("dan")
    assert cyd.ask("get gamelist") == "OK"
    assert '"Pig"' in cyd.expect("SVR GAMELIST [")
    first, second = begin(cyd, dan, "pig")
    assert first.ask("move roll") == "OK"
    assert first.expect("SVR GAME MOVE ") == second.expect("SVR GAME MOVE ")
    assert second.ask("forfeit") == "OK"
    assert first.news()[-1].startswith("SVR GAME WIN ")


def play_between_protocols(server: Server) -> None:
    """The contract kit plays whole matches by `simple-json` (`tests/testing/test_check_protocol.py`)."""
    bob = server.client("bob")
    assert bob.ask("subscribe Tic-tac-toe") == "OK"
    (row,) = [line for line in server.printed.lines if line.startswith("simple-json")]
    address = LOCAL, int(row.split()[2].rpartition(":")[2])
    with closing(socket.create_connection(address, DEADLINE_S)) as ann, ann.makefile() as heard:

        def do(what: str, **more: str) -> Any:
            ann.sendall(json.dumps({"do": what, **more}).encode() + b"\n")
            return json.loads(heard.readline())

        assert do("login", name="ann") == do("find", game="Tic-tac-toe") == {"tell": "ok"}
        opened = json.loads(heard.readline())
        assert (opened["tell"], sorted(opened["players"])) == ("match", ["ann", "bob"])
        bob.expect("SVR GAME MATCH ")
        assert bob.ask("forfeit") == "OK"
        while (told := json.loads(heard.readline()))["tell"] != "over":
            assert told["tell"] == "your turn"
        assert told == {"tell": "over", "result": "win", "reason": "resigned"}

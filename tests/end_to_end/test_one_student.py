"""A student of the roster with the official SignalR client beside a text client, in a tournament of the class."""

import json
import subprocess
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from tests.end_to_end.server_process import Server
from tests.end_to_end.support import LOCAL, called, environment, eventually
from tests.support.node import DIRECTORY, node

ANN = "fdd907ca-794a-43f4-83e6-cadfabc57c45"
CLASS = f"id,name,secret,gammonx_id\ns1,ann,k7mw-x4tp-9hqe,{ANN}\ns2,bob,m2qa-77kd-xw3f,\n"
LISTEN = (f"strategic={LOCAL}:0", f"http={LOCAL}:0", f"admin={LOCAL}:0")
TAVLA, CASH = "1", "2"


def join(server: Server) -> tuple[int, Any]:
    body = {"PlayerId": ANN, "MatchVariant": int(TAVLA), "MatchModus": 0, "MatchType": int(CASH)}
    address = f"http://{LOCAL}:{server.port_of('http')}/api/matches/join"
    request = urllib.request.Request(address, json.dumps(body).encode(), {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return response.status, json.load(response)["payload"]
    except urllib.error.HTTPError as refused:
        return refused.code, json.load(refused)["payload"]


class OfficialClient:
    """The client in Node, as it is: it sends no secret."""

    def __init__(self, server: Server) -> None:
        address = f"http://{LOCAL}:{server.port_of('http')}"
        command = [node(), str(DIRECTORY / "player.mjs"), address, ANN, TAVLA, CASH]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8", env=environment()
        )

    def until(self, **said: str) -> dict[str, Any]:
        """The next thing that it says with these members."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            heard: dict[str, Any] = json.loads(line)
            if said.items() <= heard.items():
                return heard
        raise AssertionError(f"it ended without {said}")

    def invoke(self, method: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps([method]) + "\n")
        self.process.stdin.flush()

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()


def test_the_class_waits_for_one_player(tmp_path: Path) -> None:
    roster = tmp_path / "class.csv"
    roster.write_text(CLASS, encoding="utf-8")
    server = Server(tmp_path, {"lobby": {"roster": str(roster), "roster_only": True}}, listen=LISTEN)
    server.start()
    official = None

    def tournament(*arguments: str) -> str:
        done = called("tournament", *arguments, "--data", str(server.data))
        assert done.returncode == 0, done.stderr
        return done.stdout

    try:
        text, bob = server.client("ann k7mw-x4tp-9hqe"), server.client("bob m2qa-77kd-xw3f")
        status, refused = join(server)
        assert status == 400
        assert "ann has this PlayerId, and is logged in by another connection" in refused["message"]
        text.close()
        tournament("create", "Cup", "--game", "tavla", "--entry", "roster", "--roster", str(roster))
        tournament("start", "--yes")
        eventually(lambda: bob.ask("get playerlist") == "OK" and '"ann"' not in bob.next(), "the text client is gone")
        bob.hears_nothing()
        official = OfficialClient(server)
        found = official.until(event="match-started")["payload"]
        assert {one["userName"] for one in (found["player1"], found["player2"])} == {"ann", "bob"}
        assert ANN in {found["player1"]["id"], found["player2"]["id"]}
        official.invoke("StartGame")
        official.until(event="game-started")
        text = server.client("ann k7mw-x4tp-9hqe")
        closed = official.until(connection="closed")
        assert "You have logged in on another connection" in closed["why"]
        text.expect("SVR GAME MATCH")
        assert text.ask("forfeit") == "OK"
        assert 'OPPONENT: "ann"' in bob.expect("SVR GAME MATCH")
        eventually(lambda: "over" in tournament("status"), "the tournament is over")
        (match,) = server.matches()
        assert sorted(match.players) == ["ann", "bob"]
        grades = tournament("export", "grades")
        assert "s1" in grades
        for kind in ("standings", "crosstable", "grades"):
            assert "gx-" not in tournament("export", kind)
        assert "ann" in tournament("standings")
    finally:
        if official is not None:
            official.close()
        server.close()

"""The commands of a teacher, against the installed server."""

import re
from typing import Any

from tests.end_to_end.blocking_client import begin
from tests.end_to_end.support import LOCAL, called, run


def test_a_teacher_at_the_terminal(new_server: Any) -> None:
    server = new_server(match={"clock": "turn 3600s"}, listen=(f"strategic={LOCAL}:0", f"admin={LOCAL}:0"))
    data = ("--data", str(server.data))
    nobody = run("status", *data)
    assert nobody.returncode == 1
    said = r"gameserver: there is no \S+\.admin: no server [^\n]* this data file; name [^\n]* its --config\n"
    assert re.fullmatch(said, nobody.stderr)
    server.start()
    assert f"its token is in {server.data}.admin" in server.printed.text
    ann, bob, cyd = server.client("ann"), server.client("bob"), server.client("cyd")
    begin(ann, bob)
    shown = called("status", *data)
    assert shown.returncode == 0, shown.stderr
    assert re.search(r"cyd +strategic", shown.stdout)
    assert re.search(r"1 +Tic-tac-toe", shown.stdout)
    assert '"name": "cyd"' in called("status", "--json", *data).stdout
    assert called("void", "1", "--yes", "--why", "fire drill", "--by", "Ms Reed", *data).stdout == "match 1 is void\n"
    for client in (ann, bob):
        client.expect("SVR GAME DRAW")
    again = called("void", "1", "--yes", "--why", "fire drill", *data)
    assert (again.returncode, again.stderr) == (1, "gameserver: there is no such match, or it is over\n")
    assert called("kick", "cyd", *data).returncode == 2, "a reason is needed"
    assert called("kick", "cyd", "--why", "it floods", *data).stdout == "cyd was disconnected\n"
    assert cyd.rest() == ["ERR The teacher has ended this connection: it floods"]
    first, _ = begin(ann, bob)
    said = called("drain", "--within", "900", *data).stdout
    assert said == "no new matches start; the server stops when 1 running match is over, in 900 s at the latest\n"
    assert "starts no new matches" in called("status", *data).stdout
    assert first.ask("forfeit") == "OK"
    assert server.wait() == 0
    gone = called("status", *data)
    assert gone.returncode == 1
    assert re.fullmatch(r"gameserver: no server answers at http://127.0.0.1:\d+; is it running\?\n", gone.stderr)

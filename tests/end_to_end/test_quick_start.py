"""The quick start of the README cannot be lost by following it."""

import re
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"


def test_the_quick_start_can_be_followed(server):
    (lines,) = re.findall(r"<!-- quick start -->\n```\n(.*?)```\n<!-- end -->", README.read_text("utf-8"), re.DOTALL)
    login, challenge, move = lines.splitlines()
    client = server.client()
    assert client.ask(login) == "OK"
    assert client.ask(challenge) == "OK"
    assert client.next().startswith("SVR GAME MATCH ")
    while not (line := client.next()).startswith("SVR GAME YOURTURN"):
        assert line.startswith("SVR GAME MOVE ")
    assert client.ask(move) == "OK"
    assert 'MOVE: "5", DETAILS: ""' in client.next()
    while not client.next().startswith("SVR GAME YOURTURN"):
        pass
    assert client.ask("get match") == "OK"
    assert re.search(r'TIMELEFT: "(30[0-9]|2[0-9][0-9])\.', client.next())

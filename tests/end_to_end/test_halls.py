"""Two halls over one database, from outside: a match in each, one record of both."""

import json
import urllib.request
from contextlib import closing
from typing import Any

from tests.end_to_end.blocking_client import BlockingClient, begin
from tests.end_to_end.server_process import Server
from tests.end_to_end.support import LOCAL, called, eventually

LISTEN = [f"strategic={LOCAL}:0", f"http={LOCAL}:0"]


SECRETS = {"ann": "a-long-secret", "bob": "another-long-one"}


def get(hall: Server, path: str) -> Any:
    with urllib.request.urlopen(f"http://{LOCAL}:{hall.port_of('http')}{path}", timeout=30) as response:
        text = response.read().decode()
    return json.loads(text) if "/api/" in path else text


def logged_in(hall: Server, name: str) -> BlockingClient:
    client = hall.client()
    assert client.ask(f"login {name} {SECRETS[name]}") == "OK"
    return client


def end_match(hall: Server) -> None:
    """A match of ann and bob that one of them gives up."""
    clients = logged_in(hall, "ann"), logged_in(hall, "bob")
    first, second = begin(*clients)
    assert first.ask("forfeit") == "OK"
    first.expect("SVR GAME LOSS")
    second.expect("SVR GAME WIN")


def rating_of_ann(hall: Server) -> dict[str, Any]:
    (rating,) = get(hall, "/api/v1/players/ann")["career"]["ratings"]
    return rating


def test_two_halls_share_records_ratings_and_roster(serve, database, tmp_path):
    class_list = tmp_path / "class.csv"
    class_list.write_text("\n".join(["name,secret", *(",".join(one) for one in SECRETS.items()), ""]), "utf-8")
    imported = called("roster", str(class_list), "--output", "database", "--data", database)
    assert imported.returncode == 0, imported.stderr
    shared = {"listen": LISTEN, "lobby": {"roster": "database"}}
    first = serve("--data", database, **shared)
    reversi = serve("--data", database, **shared, hall={"name": "reversi"}, http={"url": "https://reversi.example.edu"})
    reversi.printed.wait_for("hall: reversi")
    for hall in (first, reversi):
        stranger = hall.client()
        assert stranger.ask("login ann a-guess").startswith("ERR ")
        end_match(hall)
    for hall in (first, reversi):
        eventually(lambda hall=hall: len(get(hall, "/api/v1/halls")) == 2, "each hall hears of the other")
        assert rating_of_ann(hall)["matches"] == 2
        found = get(hall, "/api/v1/players/ann")
        assert sorted((one["hall"], one["match"]) for one in found["matches"]) == [("", 1), ("reversi", 1)]
    assert rating_of_ann(first) == rating_of_ann(reversi)
    assert "Hall reversi" in get(first, "/halls/reversi/matches/1")
    assert "First hall" in get(reversi, "/halls/first/matches/1")
    renewed = called("roster", "database", "--renew", "bob", "--in-place", "--data", database)
    assert renewed.returncode == 0, renewed.stderr

    def is_changed(hall: Server) -> bool:
        with closing(hall.client()) as client:
            return client.ask(f"login bob {SECRETS['bob']}").startswith("ERR ")

    for hall in (first, reversi):
        eventually(lambda hall=hall: is_changed(hall), "both halls see the new secret")
        assert hall.stop() == 0

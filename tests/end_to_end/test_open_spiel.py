"""Games of OpenSpiel that a config asks for, at the installed command: offered, played through a kill, taken away."""

import tomllib

import tomli_w

from tests.end_to_end.blocking_client import begin

CRASHING = {"name": "Tiny", "game": "havannah(board_size=-1)"}
BOX = ("h,0,0", "v,0,0", "h,1,0", "v,0,1")
"""Lines in turn; the last one completes a box, after which the same player draws another one."""


def test_a_match_goes_on_after_a_kill_and_is_void_without_its_game(new_server):
    server = new_server(openspiel={"games": ["dots_and_boxes", CRASHING]}).start()
    server.log.wait_for("[openspiel] Tiny = havannah(board_size=-1) is skipped: it crashed")
    names = {server.client(name): name for name in ("ann", "bob")}
    first, second = begin(*names, "Dots-and-boxes")
    for number, move in enumerate(BOX):
        (first, second)[number % 2].send(f"move {move}")
        for client in (first, second):
            while f'MOVE: "{move}", DETAILS: ""' not in client.next():
                pass
    second.expect("SVR GAME YOURTURN ")
    first.hears_nothing()
    server.kill()
    server.start_where_it_was()
    back = {name: server.client(name) for name in names.values()}
    told = [client.news() for client in (back[names[first]], back[names[second]])]
    assert [line.split('"')[3] for line in told[0] if "SVR GAME MOVE " in line] == [*BOX]
    assert [line.startswith("SVR GAME YOURTURN ") for line in (told[0][-1], told[1][-1])] == [False, True]
    assert back[names[second]].ask("move h,4,3") == "OK"
    server.kill()
    config = server.data.with_name("config.toml")
    others = {key: table for key, table in tomllib.loads(config.read_text("utf-8")).items() if key != "openspiel"}
    config.write_text(tomli_w.dumps(others), "utf-8")
    server.start_where_it_was()
    (match,) = server.matches()
    assert (match.game, match.reason, len(match.moves)) == ("Dots-and-boxes", "void", 5)

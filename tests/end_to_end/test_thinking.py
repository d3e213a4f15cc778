"""House players think in processes of the server's: none outlives it, and none takes a match with it when it dies."""

from pathlib import Path

import psutil
import pytest

from tests.end_to_end.packages import found_in
from tests.end_to_end.server_process import Server
from tests.end_to_end.support import eventually
from tests.support.thoughtful_games import MARK

ROOT = Path(__file__).parents[2]


@pytest.fixture
def mark(tmp_path: Path) -> Path:
    """The file in which a thought without end notes its process."""
    return tmp_path / "mark"


@pytest.fixture
def thoughtful(serve, mark: Path) -> Server:
    """A server with a game whose house players may think for ever."""
    env = found_in(ROOT) | {MARK: str(mark)}
    server = serve(
        env=env, plugins=["tests.support.thoughtful_games:GAME"], fixed={"house_terms": {"think_max_s": 3600}}
    )
    server.faults_expected = True
    return server


def to_move(server: Server, house: str):
    """A client that has moved, so that it is this house player's turn."""
    ann = server.client("ann")
    assert ann.ask(f'challenge "{house}" "Thoughtful" 3600') == "OK"
    if "ann" in ann.expect("SVR GAME MATCH ").partition("GAMETYPE")[0]:
        ann.expect("SVR GAME YOURTURN ")
        assert ann.ask("move 1") == "OK"
        ann.expect('SVR GAME MOVE {PLAYER: "ann"')
    return ann


@pytest.mark.parametrize("end", ["kill", "stop"])
def test_a_process_that_thinks_for_ever_does_not_outlive_the_server(thoughtful: Server, mark: Path, end: str) -> None:
    to_move(thoughtful, "house-forever")
    thinker = int(eventually(lambda: mark.exists() and mark.read_text(), "it thinks"))
    processes = psutil.Process(thoughtful.process.pid).children(recursive=True)
    assert thinker in {process.pid for process in processes}
    if end == "kill":
        thoughtful.kill()
    else:
        assert thoughtful.stop() == 0
    gone, left = psutil.wait_procs(processes, timeout=60)
    assert left == []
    assert len(gone) == len(processes)

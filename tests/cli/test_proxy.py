"""The options of `gameserver proxy`, and what it says where it cannot do what they ask."""

import errno
import io
import re
import socket
from datetime import datetime

import pytest
import trio
from click.testing import CliRunner, Result

from gameserver.cli import proxy as command
from gameserver.cli.main import main
from gameserver.cli.proxy import LogLines, stamps
from gameserver.proxy.faults import Direction, Faults, Split, faults_of
from gameserver.proxy.relay import now_us

LOCAL = "127.0.0.1"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[command.ProxyOptions]:
    """The arguments that the command would relay by; it does nothing instead."""
    found: list[command.ProxyOptions] = []

    async def run(options: command.ProxyOptions, _log: object) -> command.Tally:
        await trio.lowlevel.checkpoint()
        found.append(options)
        return command.Tally()

    monkeypatch.setattr(command, "_run", run)
    return found


def proxy(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["proxy", *arguments])


def refusal(*arguments: str, code: int = 2) -> str:
    done = proxy(*arguments)
    assert done.exit_code == code, done.output
    (line,) = done.stderr.splitlines()
    return line


def test_every_fault_can_be_asked_for(asked: list[command.ProxyOptions]) -> None:
    faults = (
        "--delay 200ms --jitter 50ms --split --coalesce --reset-after 30s --half-open --slow-read 1KB/s"
        " --drop-and-restore"
    )
    assert proxy("7788", "localhost:7789", *faults.split()).exit_code == 0
    (options,) = asked
    assert options.faults == Faults(
        delay_us=200_000,
        jitter_us=50_000,
        split=Split.RANDOM,
        coalesce_us=20_000,
        reset_after_us=30_000_000,
        half_open_after_us=30_000_000,
        slow_read_bytes_s=1_000,
        drop_after_us=30_000_000,
        restore_us=5_000_000,
    )
    assert (str(options.listen), str(options.target)) == ("localhost:7788", "localhost:7789")
    assert options.directions == (Direction.TO_CLIENT, Direction.TO_SERVER)


@pytest.mark.parametrize(
    ("arguments", "faults"),
    [
        ("--split 7788 there:7789", "split random"),
        ("--split every-byte 7788 there:7789", "split every-byte"),
        ("--split=every-byte 7788 there:7789", "split every-byte"),
        ("--coalesce --half-open 7788 there:7789", "coalesce 20ms, half-open 30s"),
        ("--half-open 5s 7788 there:7789", "half-open 5s"),
        ("7788 there:7789 --drop-and-restore 30s,5s", "drop-and-restore 30s,5s"),
        ("7788 --drop-and-restore there:7789", "drop-and-restore 30s,5s"),
        ("7788 there:7789 --split", "split random"),
    ],
)
def test_a_fault_with_a_default_may_stand_anywhere(
    asked: list[command.ProxyOptions], arguments: str, faults: str
) -> None:
    assert proxy(*arguments.split()).exit_code == 0
    (options,) = asked
    assert options.faults == faults_of(faults)
    assert (options.listen.port, str(options.target)) == (7788, "there:7789")


@pytest.mark.parametrize(
    ("arguments", "listen", "target"),
    [
        (["7788", "7789"], "localhost:7788", "localhost:7789"),
        (["*:7788", "[::1]:7789"], "*:7788", "[::1]:7789"),
        ([":7788", "games.example:7789"], "localhost:7788", "games.example:7789"),
    ],
)
def test_addresses(asked: list[command.ProxyOptions], arguments: list[str], listen: str, target: str) -> None:
    assert proxy(*arguments).exit_code == 0
    assert (str(asked[0].listen), str(asked[0].target)) == (listen, target)


def test_one_direction_and_a_seed(asked: list[command.ProxyOptions]) -> None:
    assert proxy("7788", "7789", "--to-client", "--seed", "5").exit_code == 0
    assert proxy("7788", "7789", "--to-server").exit_code == 0
    assert proxy("7788", "7789", "--to-server", "--to-client").exit_code == 0
    assert [len(options.directions) for options in asked] == [1, 1, 2]
    assert asked[0].directions == (Direction.TO_CLIENT,)
    assert asked[0].seed == 5
    assert asked[1].seed != asked[2].seed or asked[0].seed != asked[1].seed, "a new seed each time"


def test_a_taken_port_is_explained() -> None:
    with socket.create_server((LOCAL, 0)) as taken:
        port = taken.getsockname()[1]
        words = refusal(f"{LOCAL}:{port}", "localhost:1", code=1)
        assert (
            words
            == f"gameserver: cannot listen on {LOCAL}:{port}: the port is taken by another program; choose another one"
        )


def test_a_proxy_to_itself_is_refused() -> None:
    with socket.create_server((LOCAL, 0)) as free:
        port = free.getsockname()[1]
    assert "the same address" in refusal(f"{LOCAL}:{port}", f"localhost:{port}")


async def test_a_server_that_does_not_listen_is_explained() -> None:
    with socket.create_server((LOCAL, 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(OSError, match=r"nothing listens there \(connection refused\)"):
        await command._connect(command.Address(LOCAL, port))


async def test_a_server_that_never_answers_is_given_up(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def hang(*_: object) -> trio.SocketStream:
        await trio.sleep_forever()

    monkeypatch.setattr(trio, "open_tcp_stream", hang)
    with pytest.raises(OSError, match="there:7789 does not answer within 10 s"):
        await command._connect(command.Address("there", 7789))


def test_the_reason_is_found_in_what_trio_wraps_it_in() -> None:
    error = OSError("all attempts to connect failed")
    inner = [ConnectionRefusedError(errno.ECONNREFUSED, "refused"), OSError(errno.ENETUNREACH, "unreachable")]
    error.__cause__ = BaseExceptionGroup("both", inner)
    assert command._why(error) == "nothing listens there (connection refused)"
    assert command._why(OSError(errno.EPIPE, "Broken pipe")) == "Broken pipe"


class FullDisk(io.StringIO):
    """A file that takes one line."""

    def write(self, text: str) -> int:
        if self.getvalue():
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().write(text)


def test_a_full_disk_ends_the_log_alone(capsys: pytest.CaptureFixture[str]) -> None:
    file = FullDisk()
    log = LogLines(file)
    for line in ("one", "two", "three"):
        log.write([line])
        log.flush()
    assert file.getvalue() == "one\n"
    log.close()
    assert capsys.readouterr().err == "gameserver: the log ends here: No space left on device\n"


async def test_stamps_are_the_time_of_day() -> None:
    before = datetime.now().astimezone()
    shown = stamps()(now_us())
    after = datetime.now().astimezone()
    assert re.fullmatch(r"\d\d:\d\d:\d\d\.\d{6}", shown)
    if before.date() == after.date():
        assert f"{before:%H:%M:%S.%f}" <= shown <= f"{after:%H:%M:%S.%f}"

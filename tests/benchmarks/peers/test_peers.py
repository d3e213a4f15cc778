"""The clients of the peer play the matches that ours play, and keep to its protocol."""

import select
import socket

import pytest
from websockets.frames import Frame, Opcode

from games.connect_four_3d import GAME
from tests.benchmarks.peers.players import (
    DATA,
    OVER,
    PONG,
    SEAT,
    TURN,
    TURN_OF,
    ColyseusPlayer,
)
from tests.benchmarks.players import Pace, Tally, loop, scripts
from tests.benchmarks.processes import BenchmarkError

needs_epoll = pytest.mark.skipif(not hasattr(select, "epoll"), reason="the load generator needs epoll")


@pytest.fixture
def client():
    """A player of 3D Connect Four, and the other end of its socket."""
    ours, theirs = socket.socketpair()
    theirs.settimeout(5)
    with loop() as working, ours, theirs:
        yield ColyseusPlayer("connect-four", ours, Tally(), Pace(working, 0.0)), theirs


def told(client, *payloads, opcode=Opcode.BINARY):
    player, peer = client
    peer.sendall(b"".join(Frame(opcode, payload).serialize(mask=False) for payload in payloads))
    player.on_readable()


def move_of(frame):
    """The number of the move in a client's frame, which is masked."""
    length, mask, masked = frame[1] & 0x7F, frame[2:6], frame[6:]
    assert len(masked) == length
    payload = bytes(byte ^ mask[at % 4] for at, byte in enumerate(masked))
    assert payload[:-1] == DATA + b"\xa4move"
    return payload[-1]


@needs_epoll
def test_client_reads_frames_that_come_in_pieces(client):
    player, peer = client
    player.opponent = player
    told(client, SEAT + b"\x01", TURN + b"\x00")
    moved = Frame(Opcode.BINARY, DATA + b"\xa5moved\x83" + TURN_OF[1]).serialize(mask=False)
    for at in range(len(moved)):
        peer.send(moved[at : at + 1])
        player.on_readable()
    assert move_of(peer.recv(100)) == scripts(GAME)[0][1]


@needs_epoll
def test_client_answers_a_ping_or_it_would_be_taken_for_dead(client):
    told(client, b"", opcode=Opcode.PING)
    assert client[1].recv(100) == PONG


@needs_epoll
def test_game_that_ends_before_its_last_move_is_an_error(client):
    told(client, SEAT + b"\x00", TURN + b"\x01")
    with pytest.raises(BenchmarkError, match="before its last move"):
        told(client, OVER + b"\x80")


@needs_epoll
def test_refused_move_is_an_error(client):
    with pytest.raises(BenchmarkError, match="no such move"):
        told(client, DATA + b"\xa5error" + b"\xafno such move now")

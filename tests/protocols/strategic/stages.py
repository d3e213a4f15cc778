"""The stages of a connection, and a client at each of them."""

from enum import Enum

from tests.support.strategic_client import StrategicClient


class Stage(Enum):
    """The facts that decide about a connection: it has entered, it is in a match, it has left."""

    ARRIVED = (False, False, False)
    LOBBY = (True, False, False)
    PLAYING = (True, True, False)
    LEFT = (False, False, True)


def stage_of(client):
    session = client.adapter.session
    return Stage((session.entered, session.view is not None, session.left))


def client_at(stage):
    client = StrategicClient()
    if stage is Stage.LOBBY:
        client.login()
    elif stage is Stage.PLAYING:
        client.play()
    elif stage is Stage.LEFT:
        client.send("bye")
    assert stage_of(client) is stage
    return client

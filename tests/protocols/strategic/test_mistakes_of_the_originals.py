"""Mistakes of the original servers that this one does not repeat."""

from gameserver.protocol import Say
from tests.protocols.strategic.answers import OK
from tests.support.strategic_client import StrategicClient


def test_a_flood_of_messages_is_refused():
    client = StrategicClient(messages_per_10_s=3).login()
    for at_ms in (0, 4000, 9000):
        assert client.send('msg "bob" hi', at_ms) == Say(7, "bob", "hi")
        client.hears(answer=OK)
    assert client.told('msg "bob" ', 9500) == ['ERR The message should not be empty, write: message "<player>" <text>']
    too_many = ["ERR Too many messages, at most 3 in 10 seconds"]
    assert client.told('msg "bob" hi', 9999) == too_many
    assert client.send('msg "bob" hi', 10_000) == Say(7, "bob", "hi")
    client.hears(answer=OK)
    assert client.told('msg "bob" hi', 13_999) == too_many
    assert client.send('msg "bob" hi', 14_000) == Say(7, "bob", "hi")

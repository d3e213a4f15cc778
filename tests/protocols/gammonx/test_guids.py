"""GUIDs of players and matches: which are read, and the names that are made of them."""

from protocols.gammonx.schema import modus_of, named_guid, player_name, read_guid
from tests.support.gammonx_client import ANN


def test_guids():
    assert read_guid(ANN.upper()) == ANN
    for wrong in (ANN.replace("-", ""), f"{{{ANN}}}", ANN[:-1], ANN + "\n", 3, None):
        assert read_guid(wrong) is None
    assert named_guid("tim") == named_guid("tim") != named_guid("tom")
    assert read_guid(named_guid("tim"))
    assert modus_of(ANN) in {0, 1, 2}
    guids = [f"{str(first) * 8}-0000-4000-8000-{last:012}" for first in range(9) for last in range(9)]
    names = {player_name(guid) for guid in guids}
    assert len(names) == len(guids), "GUIDs that were made by hand are as different"
    assert all(len(name) == len("gx-") + 12 for name in names)

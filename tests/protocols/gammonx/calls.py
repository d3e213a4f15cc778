"""Every method of the hub, and arguments to call it with."""

CALLS = {
    "StartGame": (),
    "Roll": (),
    "Move": (0, 1),
    "EndTurn": (),
    "UndoMove": (),
    "ResignGame": (),
    "ResignMatch": (),
    "OfferDouble": (),
    "AcceptDouble": (),
    "DeclineDouble": (),
    "GameState": (),
    "MatchState": (),
}

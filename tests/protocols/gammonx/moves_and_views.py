"""Any legal move of a player, and the views of both players, held against each other."""


def any_move(client, chance):
    """One of `GetLegalToPositions`, for any `from`."""
    sequences = client.state["moveSequences"]
    source = chance.choice([move["from"] for each in sequences for move in each["moves"][:1]])
    reached = set()
    for moves in (each["moves"] for each in sequences):
        if moves[0]["from"] == source:
            reached.add(moves[0]["to"])
            end = moves[0]["to"]
            for move in moves[1:]:
                if move["from"] != end:
                    break
                end = move["to"]
                reached.add(end)
    return "Move", source, chance.choice(sorted(reached))


def compare_views(ann, bob):
    """Both see the same board, each from its own side."""
    if ann.state is None or ann.state["id"] != bob.state["id"]:
        return
    one, two = ann.state["boardState"], bob.state["boardState"]
    turned = (lambda index: (index + 12) % 24) if ann.state["modus"] == 4 else (lambda index: 23 - index)
    assert [two["fields"][turned(index)] for index in range(24)] == [-count for count in one["fields"]]
    if one["pinnedFields"] is not None:
        assert [two["pinnedFields"][turned(index)] for index in range(24)] == [-count for count in one["pinnedFields"]]
    for member in ("bearOffCount", "homeBarCount", "pipCount"):
        assert one[f"{member}White"] == two[f"{member}Black"]
        assert one[f"{member}Black"] == two[f"{member}White"]
    assert ann.state["diceRolls"] == bob.state["diceRolls"]
    ends = {-1: 24, 24: -1, -100: 100, 100: -100}
    mapped = [
        [(ends.get(move[end], turned(move[end]) if 0 <= move[end] < 24 else None)) for move in each["moves"]]
        for each in ann.state["moveSequences"]
        for end in ("from", "to")
    ]
    assert mapped == [
        [move[end] for move in each["moves"]] for each in bob.state["moveSequences"] for end in ("from", "to")
    ]

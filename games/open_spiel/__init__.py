"""Games of OpenSpiel, of which the config says which: the extra `gameserver[openspiel]` installs it.

rules      Positions, moves and draws of any game of OpenSpiel's, and the reasons why some cannot be played
catalogue  What is known of twelve of them beyond their rules: names, words of moves, boards, levels, guides

Nothing here is imported, and OpenSpiel neither, unless a config names a game of it.
"""

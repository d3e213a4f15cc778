"""The weights of the networks, one for each kind of contact between the sides.

blocks  The network of Fevga
hits    The network of Backgammon, Tavla and Portes
pins    The network of Plakoto
"""

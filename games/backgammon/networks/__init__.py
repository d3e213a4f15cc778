"""The weights of the networks, one for each kind of contact between the sides.

hits                 Backgammon, Tavla, Portes
pins                 Plakoto
blocks               Fevga
"""

"""Formats whose opponents follow from the plan alone: who plays whom is fixed at the start or by the tree.

round_robin, berger  everybody against everybody, gauntlets included, and the schedule of rounds
knockout             the tree
lots                 verifiable draws of lots
history              an index of the pairings so far
"""

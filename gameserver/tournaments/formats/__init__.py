"""Formats whose opponents follow from the plan alone: who plays whom is fixed at the start or by the tree.

round_robin          everybody against everybody, and gauntlets
berger               the schedule of rounds of a round robin
knockout             the tree, single or double
lots                 verifiable draws of lots
history              an index of the pairings so far
"""

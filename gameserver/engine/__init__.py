"""The single writer: takes commands in order, decides them, commits them, then releases their answers and events.

batch      Decides one batch of commands
clock      Server time
committer  Makes commits
evidence   Adds to the record of a match what only the running server knows
queue      The commands that wait to be decided, in three queues
sequencer  Decide, commit, release

Nothing here knows a socket or a protocol. Only the sequencer sees the lobby.
"""

"""The single writer: takes commands in order, decides them, commits them, then releases their answers and events.

batch      one batch of commands: decided, journaled and released together
clock      server time, stalls, and the one alarm
committer  all work on the journal: commits, its thread, snapshots
evidence   facts for the records that only a running server knows
queue      the commands that wait to be decided
sequencer  decide, commit, release

Nothing here knows a socket or a protocol. Only the sequencer sees the lobby.
"""

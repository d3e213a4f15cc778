"""The single writer: takes commands in order, decides them, commits them, then releases their answers and events.

    sequencer            decide, commit, release: nothing is told before it is on the disk
    command_priority     selects the commands of a batch; the others wait
    batch                one batch of decisions, synchronous
    in_flight            corrects commands whose senders cannot know yet what was decided
    committer            makes a commit: on the event loop while the disk is quick, else in the journal's thread
    journal_thread       the journal's thread
    release              hands a batch's outputs to their receivers
    snapshotter          takes snapshots in slices
    attendance           who came and went while a tournament waited, for the records
    clock, alarm         server time, and the deadlines that are due on it
    evidence             stalls and network times, for the records

Nothing here knows a socket or a protocol. Only the sequencer sees the lobby.
"""

"""The single writer: takes commands in their order, decides them, makes them durable, says what they led to.

    sequencer            decide, commit, release: nothing is told before it is on the disk
    command_queue        which commands a batch takes, and which have to wait
    batch                one batch of decisions, synchronous
    in_flight            decided, but not yet told: what a command means whose sender cannot know of it
    journal_writer       the journal's thread
    release              hands a batch's outputs to their receivers
    snapshotter          takes snapshots in slices
    clock, alarm         server time, and the deadlines that are due on it
    evidence             stalls and network times, for the records

Nothing here knows a socket or a protocol. Only the sequencer sees the lobby.
"""

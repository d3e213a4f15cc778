"""Fuzzing: every adapter is sent what no client should send, and has to live through it.

A run is a row of operations on a few connections to a server in the simulator's world: bytes in pieces, the end of a
connection, time that passes. The bytes are lines, records, requests and frames as clients send them, taken from the
transcripts and made to fit what the server has said, and most of them are then bent. What must hold after each
operation, beside the simulator's own invariants:

* an adapter raises nothing but `BrokenInput`, and then tells why;
* what is said is well formed: whole lines, JSON, frames;
* an adapter keeps little of its connection; whoever asks is answered; the server rests and stops.

A failure is shrunk to the operations that it takes, and printed with its seed.

`python -m tests.fuzz --protocol strategic --inputs 1000000`
"""

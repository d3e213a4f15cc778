"""Fuzzing: every adapter is sent what no client should send, and has to live through it.

A run is a row of operations on a few connections at a real lobby: bytes in pieces, the end of a
connection, time that passes. The bytes are lines, records, requests and frames as clients send them,
taken from the transcripts and made to fit what the server has said, and most of them are then bent:
cut, spliced, doubled, filled with NUL, broken UTF-8, deep JSON, numbers beyond all bounds, lines of a
megabyte. After each operation this holds:

* nothing but `BrokenInput` has come out of an adapter, and the lobby has made no mistake;
* a connection that is broken off has been told why;
* what is said is well formed: whole lines, JSON, frames;
* what an adapter keeps of its connection is bounded.

At the end of a run each connection is asked something simple, and answers. A failure is shrunk to the
operations that it takes, and printed with its seed.

`python -m tests.fuzz --protocol strategic --inputs 1000000`
"""

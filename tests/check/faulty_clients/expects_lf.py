"""Reads to the next LF, and takes a CR in front of it away: a CR alone ends no line."""

from correct_client import Client


class ExpectsLf(Client):
    def lines(self):
        rest = b""
        while data := self.read():
            *lines, rest = (rest + data).split(b"\n")
            yield from (line.decode(errors="replace").strip() for line in lines if line.strip())


ExpectsLf.main()

"""Knows no other end of line than CR LF."""

from correct_client import Client


class ExpectsCrlf(Client):
    def lines(self):
        rest = b""
        while data := self.read():
            *lines, rest = (rest + data).split(b"\r\n")
            yield from (line.decode(errors="replace") for line in lines if line)


ExpectsCrlf.main()

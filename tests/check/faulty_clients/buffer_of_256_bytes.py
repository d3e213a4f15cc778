"""Collects a line in a buffer of 256 bytes, as `char line[256]` in C."""

from correct_client import Client


class BufferOf256Bytes(Client):
    def look_for_match(self):
        self.send("get playerlist")
        super().look_for_match()

    def on_line(self, line):
        buffer = bytearray(256)
        for at, byte in enumerate(line.encode()):
            buffer[at] = byte
        super().on_line(line)


BufferOf256Bytes.main()

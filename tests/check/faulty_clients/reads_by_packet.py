"""Takes the end of what one read returns for the end of a line."""

from correct_client import Client


class ReadsByPacket(Client):
    def lines(self):
        while data := self.read():
            yield from data.decode(errors="replace").splitlines()


ReadsByPacket.main()

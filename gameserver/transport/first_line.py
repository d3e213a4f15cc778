"""Recognizes HTTP requests and TLS handshakes on ports of other protocols, by the first bytes of a connection.

Any web page can have a browser send a POST of `text/plain` to any port, without asking first (the Fetch standard calls
it CORS-safelisted). A protocol of lines would refuse the head and run the body: commands of the page's choice, from
the address of the student who opened it. So such a connection is over before its adapter has a whole line of it.

Nothing is held back. An adapter gets the bytes as they come, and until a line is refused it is not complete.
"""

import re

from attrs import define

HTTP_REQUEST = "This port does not speak HTTP; web pages are on a port of their own"
CLIENT_HELLO = "This port does not speak TLS; connect without TLS, or to a port that has it"

# RFC 9112, section 3: a method, a target and a version, with one blank between them. It may be cut off anywhere.
_BEGUN_REQUEST = re.compile(
    rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+(?: (?:[!-~\x80-\xff]+(?: (?:H(?:T(?:T(?:P(?:/[0-9]?)?)?)?)?)?)?)?)?"
)
# The four forms of a target (section 3.2). `login ann HTTP/1`, where that is the secret, has none of them.
_REQUEST = re.compile(rb"[^ ]+ (?:/[^ ]*|\*|[^ ]*://[^ ]*|[^ ]*:[0-9]+) HTTP/[0-9]")
# RFC 8446, sections 4 and 5.1: a handshake record, its version and length, and a message of type 1.
_BEGUN_HELLO = re.compile(rb"\x16(?:\x03(?:[\x00-\x04](?:.(?:.\x01?)?)?)?)?", re.DOTALL)
_HELLO_BYTES = 6
# The ends of a word suffice to tell what it is, and a peer may send one that never ends. 12 bytes at each end are more
# than any part of the patterns asks for.
_LONG_WORD = re.compile(rb"([^ ]{12})[^ ]+([^ ]{12})")


@define
class FirstLine:
    """The first line of a connection, for as long as it may become an HTTP request or a TLS handshake."""

    begun: bytes = b""
    is_over: bool = False
    """True if the peer is known to speak neither HTTP nor TLS: it is not looked at again."""

    def refusal(self, data: bytes) -> str:
        """Take a connection's first bytes; returns the reason to end it as HTTP or TLS, empty if there is none yet."""
        begun = self.begun + data  # a packet may end anywhere, so what has come so far is kept
        found = _BEGUN_REQUEST.match(begun) or _BEGUN_HELLO.match(begun)
        if found is None:
            self.is_over = True
            return ""
        self.begun = _LONG_WORD.sub(rb"\1\2", found[0])
        if _REQUEST.fullmatch(self.begun):
            return HTTP_REQUEST
        if found.re is _BEGUN_HELLO and len(found[0]) == _HELLO_BYTES:
            return CLIENT_HELLO
        self.is_over = found.end() < len(begun)
        return ""

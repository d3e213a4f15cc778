"""Where a peer's browser finds the pages."""

import pytest

from gameserver.read_model.views import ListenerSummary
from gameserver.server.pages_url import pages_url

EVERYWHERE = (ListenerSummary("strategic", "::", 7789), ListenerSummary("http", "::", 8080))


@pytest.mark.parametrize(
    ("reached", "url"),
    [
        ("127.0.0.1", "http://localhost:8080"),
        ("::1", "http://localhost:8080"),
        ("::ffff:127.0.0.1", "http://localhost:8080"),
        ("", "http://localhost:8080"),
        ("10.0.0.5", "http://10.0.0.5:8080"),
        ("::ffff:10.0.0.5", "http://10.0.0.5:8080"),
        ("2001:db8::5", "http://[2001:db8::5]:8080"),
        ("fe80::1%eth0", "http://[fe80::1]:8080"),
    ],
)
def test_pages_are_at_the_address_that_was_reached(reached: str, url: str) -> None:
    assert pages_url(EVERYWHERE, reached) == url


def test_pages_that_are_served_at_one_address_are_there() -> None:
    assert pages_url([ListenerSummary("http", "10.0.0.7", 80, is_encrypted=True)], "10.0.0.5") == "https://10.0.0.7:80"


def test_without_an_http_listener_there_are_no_pages() -> None:
    assert pages_url([ListenerSummary("strategic", "::", 7789)], "10.0.0.5") == ""

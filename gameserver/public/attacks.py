"""Names that somebody tries to log in under with wrong secrets, as the teacher sees them."""

from attrs import frozen


@frozen
class Attack:
    """The wrong secrets given for one name of the roster, as long as they go on. Times are wall time."""

    name: str
    tries: int
    """Wrong secrets since `since_ms`."""
    addresses: tuple[str, ...]
    """Where they came from, the latest last; not all of very many."""
    since_ms: int
    last_ms: int

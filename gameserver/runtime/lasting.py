"""What is made to stay for as long as the server runs is kept out of the garbage collector's sight."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def made_to_last() -> Iterator[None]:
    """Never look for garbage in what is made meanwhile: modules, and the lobby that the journal gives.

    Each look through all of them would make everybody wait for about 0.05 s.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()

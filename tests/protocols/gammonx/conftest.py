"""A hub without players."""

import pytest

from tests.support.gammonx_client import Hub


@pytest.fixture
def hub() -> Hub:
    return Hub()

"""In the tests values are really frozen: what changes one fails, as it would pass unseen in a server."""

import structlog
from hypothesis import HealthCheck, settings

from gameserver import values

values.freeze()

# How long an example takes says more about what else the machine has to do than about the code.
settings.register_profile("here", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("here")

# Plain tracebacks, as the server writes them: with every variable in a frame of its own each takes a second to draw.
structlog.configure(
    [
        structlog.processors.add_log_level,
        structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback),
    ]
)

"""The answer of pages and requests while the database with the records is away."""

TEXT = "The database with the records cannot be reached now. Please try again in a moment."
RETRY_AFTER_S = 5
HEADERS = {"Retry-After": str(RETRY_AFTER_S)}
"""The headers of the response, whose status is 503."""

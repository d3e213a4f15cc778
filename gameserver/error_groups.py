"""Errors out of the groups in which trio hands them on."""


def first_error(error: BaseException) -> BaseException:
    """The first error in a group of groups, or the error itself."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error

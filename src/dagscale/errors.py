"""What a user did wrong, in one line: the culprit and the remedy."""


class DagscaleError(Exception):
    """Base of every error that is the input's fault; its text is one line."""


class InputError(DagscaleError, ValueError):
    """A value that cannot be used as it is."""


class InputTypeError(DagscaleError, TypeError):
    """A value of a kind that cannot be used at all."""


class MissingDependencyError(DagscaleError, ImportError):
    """An optional package is needed; the text says how to install it."""

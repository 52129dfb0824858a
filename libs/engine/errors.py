"""What can go wrong between a question to the engine and its answer."""


class EngineError(Exception):
    """The engine gave no answer. The same question may be asked again unless a subclass says otherwise."""


class EngineMissingError(EngineError):
    """The engine cannot run on this machine at all; the message says why and what to do."""


class EngineBusyError(EngineError):
    """Too many questions are waiting already."""


class EngineLateError(EngineError):
    """The answer did not come in time."""


class EngineDiedError(EngineError):
    """The worker died over the question, and so did its successor."""

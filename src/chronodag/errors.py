"""Every error a user can meet: each says what came, what was expected and what to do."""


class ChronodagError(Exception):
    """Base of all errors that chronodag raises on purpose."""


class DataError(ChronodagError, ValueError):
    """The data cannot be learned from as it is."""


class KnowledgeError(ChronodagError, ValueError):
    """A rule is malformed, or rules contradict each other, the names or the structure."""


class SettingsError(ChronodagError, ValueError):
    """A setting has a value outside its range or of the wrong form."""


class GraphError(ChronodagError, ValueError):
    """A graph, or a file that should hold one, is not well formed."""

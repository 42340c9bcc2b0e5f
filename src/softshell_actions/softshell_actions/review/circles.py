"""Circular references between names."""

from collections.abc import Iterable, Mapping


def circles(references: Mapping[str, Iterable[str]]) -> list[tuple[str, ...]]:
    """Circular references: at least one of each group of names that refer to one another.

    Args:
        references: the names that each name refers to; names without an entry refer to none.

    Returns:
        The names of each circle, once each, from the first in alphabetical order.
    """
    found: dict[tuple[str, ...], None] = {}
    done: set[str] = set()

    def follow(name: str, path: tuple[str, ...]) -> None:
        if name in path:
            circle = path[path.index(name) :]
            first = circle.index(min(circle))
            found[circle[first:] + circle[:first]] = None
        elif name not in done:
            for other in references.get(name, ()):
                follow(other, (*path, name))
            done.add(name)

    for name in sorted(references):
        follow(name, ())
    return list(found)

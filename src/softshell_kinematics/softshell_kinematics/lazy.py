"""Packages whose public names are imported when they are first used."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module


def lazy_names(
    package: str, modules: Mapping[str, Sequence[str]]
) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """What a package's `__init__.py` needs to import a module once one of its names is used.

    A program that uses a few names then does not load the modules of the others.

    Args:
        package: `__name__` of the package.
        modules: public names by module.

    Returns:
        `__getattr__`, `__dir__` and `__all__` of the package.
    """
    home = {name: module for module, names in modules.items() for name in names}

    def get(name: str) -> object:
        if name not in home:
            raise AttributeError(f'module {package!r} has no attribute {name!r}')
        try:
            module = import_module(f'{package}.{home[name]}')
        except AttributeError as error:
            # As it is, `from package import name` would say that there is no such name.
            raise ImportError(f'{package}.{home[name]} cannot be imported: {error}') from error
        return getattr(module, name)

    return get, lambda: sorted(home), sorted(home)

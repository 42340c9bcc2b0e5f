"""Resolves `package://` names of meshes in a URDF."""

import re
from html import escape, unescape
from urllib.parse import unquote


def with_paths(urdf: str) -> str:
    """A URDF with paths of files in place of `package://` and `file://` names.

    Names in packages that are not installed stay as they are.
    """
    from ament_index_python.packages import PackageNotFoundError, get_package_share_directory

    def path(match: re.Match[str]) -> str:
        try:
            return f'{get_package_share_directory(match.group(1))}/'
        except (PackageNotFoundError, ValueError):
            return match.group(0)

    def file(match: re.Match[str]) -> str:
        return escape(unquote(unescape(match.group(1))))

    found = re.sub(r'package://([^/"]+)/', path, urdf)
    return re.sub(r'file://(/[^"\'<>]*)', file, found)

"""Resolves `package://` names of meshes in a URDF."""

import re


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

    return re.sub(r'(?:file://(?=/))', '', re.sub(r'package://([^/"]+)/', path, urdf))

"""Meshes of a URDF that are named by the package they are in."""

import re


def with_paths(urdf: str) -> str:
    """A URDF whose meshes are named by paths; those of packages that are not here stay."""
    from ament_index_python.packages import PackageNotFoundError, get_package_share_directory

    def path(match: re.Match[str]) -> str:
        try:
            return f'{get_package_share_directory(match.group(1))}/'
        except (PackageNotFoundError, ValueError):
            return match.group(0)

    return re.sub(r'(?:file://(?=/))', '', re.sub(r'package://([^/"]+)/', path, urdf))

"""Which packages of interfaces/ replace packages of ROS that this machine does not have.

Only the standard library, and any Python from 3.9: this runs before anything is installed.

`interfaces/COLCON_IGNORE` hides them from a plain `colcon build`; `./softshell` names each folder
to build, so that none of them hides an installed package.
"""

import os
from pathlib import Path

FOLDER = 'interfaces'
INDEX = Path('share') / 'ament_index' / 'resource_index' / 'packages'


def all_fallbacks(root):
    """Names of all packages in interfaces/."""
    return sorted(path.parent.name for path in (Path(root) / FOLDER).glob('*/package.xml'))


def absent(root, environment, own):
    """Names of the packages in interfaces/ that no prefix of AMENT_PREFIX_PATH contains.

    Args:
        root: the repository.
        environment: environment variables, with AMENT_PREFIX_PATH.
        own: the workspace's install folder; packages in it do not count.
    """
    own = Path(own).resolve()
    entries = [e for e in environment.get('AMENT_PREFIX_PATH', '').split(os.pathsep) if e]
    prefixes = [
        prefix
        for prefix in (Path(entry).resolve() for entry in entries)
        if own != prefix and own not in prefix.parents
    ]
    return [
        name
        for name in all_fallbacks(root)
        if not any(os.path.exists(prefix / INDEX / name) for prefix in prefixes)
    ]

import os
import sys
from collections import defaultdict
from glob import glob
from pathlib import Path

from setuptools import find_packages, setup

package_name = 'softshell_description'
share = 'share/' + package_name
here = Path(__file__).resolve().parent  # the source folder, also when run through a symbolic link

sys.path.insert(0, str(here))
from softshell_description.panels import write_meshes  # noqa: E402

# The meshes are made in the source folder's (ignored) build/, which has the same relative path for
# a plain build, for --symlink-install and for any build base.
meshes = [
    mesh
    for panels in sorted((here.parents[1] / 'urdf').glob('*/panels.yaml'))
    for mesh in write_meshes(panels, here / 'build' / 'meshes' / panels.parent.name)
]


def tree(pattern):
    """Entries of data_files for the top-level files of a pattern, each in its own folder."""
    files = defaultdict(list)
    for path in sorted(glob('../../' + pattern)):
        files[os.path.dirname(path).removeprefix('../../')].append(path)
    return [(os.path.join(share, folder), paths) for folder, paths in files.items()]


setup(
    name=package_name,
    version='1.0.0',
    packages=find_packages(exclude=['test']),
    package_data={package_name: ['py.typed']},
    data_files=[
        ('share/ament_index/resource_index/packages', ['resource/' + package_name]),
        (share, ['package.xml']),
        *tree('urdf/*/*.*'),
        *tree('config/robots/*/*.yaml'),
        *tree('config/robots/*/*/*.yaml'),
        *tree('config/hardware/*.yaml'),
        *tree('config/schema/*.json'),
        *(
            (os.path.join(share, 'meshes', mesh.parent.name), [str(mesh.relative_to(here))])
            for mesh in meshes
        ),
    ],
    install_requires=['setuptools'],
    zip_safe=True,
    maintainer='The softshell authors',
    maintainer_email='softshell@example.org',
    description='The robot: its URDF, panel meshes, and the typed model.',
    license='Apache-2.0',
)

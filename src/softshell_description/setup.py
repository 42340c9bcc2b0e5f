import os
import sys
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
meshes = write_meshes(here.parents[1] / 'urdf' / 'panels.yaml', here / 'build' / 'meshes')

setup(
    name=package_name,
    version='0.1.0',
    packages=find_packages(exclude=['test']),
    data_files=[
        ('share/ament_index/resource_index/packages', ['resource/' + package_name]),
        (share, ['package.xml']),
        (os.path.join(share, 'urdf'), sorted(glob('../../urdf/*.*'))),
        (os.path.join(share, 'config'), ['../../config/robot.yaml']),
        (os.path.join(share, 'meshes'), ['build/meshes/' + mesh.name for mesh in meshes]),
    ],
    install_requires=['setuptools'],
    zip_safe=True,
    maintainer='The softshell authors',
    maintainer_email='softshell@example.org',
    description='The robot: its URDF, panel meshes, and the typed model.',
    license='Apache-2.0',
)

"""Installs the package: its node, its robots and its launch file."""

from pathlib import Path

from setuptools import find_packages, setup

package_name = 'my_robot_pkg'
share = f'share/{package_name}'
index = 'share/ament_index/resource_index'

# Every file below these folders is installed under the same path.
folders = {path.parent for top in ('robots', 'launch') for path in Path(top).rglob('*.*')}
data = [
    (f'{share}/{folder}', [str(path) for path in folder.iterdir() if path.is_file()])
    for folder in sorted(folders)
]

setup(
    name=package_name,
    version='0.0.1',
    packages=find_packages(exclude=['test']),
    data_files=[
        (f'{index}/packages', [f'resource/{package_name}']),
        # This tells softshell that the package has robots, in robots/.
        (f'{index}/softshell_robots', [f'resource/{package_name}']),
        (share, ['package.xml']),
        *data,
    ],
    install_requires=['setuptools'],
    zip_safe=True,
    maintainer='Me',
    maintainer_email='me@example.org',
    description='A robot of my own for softshell, and a node that has it walk up and down.',
    license='Apache-2.0',
    entry_points={'console_scripts': ['patrol = my_robot_pkg.patrol:main']},
)

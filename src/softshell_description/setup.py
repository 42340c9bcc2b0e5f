import os
from glob import glob

from setuptools import find_packages, setup

package_name = 'softshell_description'
share = 'share/' + package_name

setup(
    name=package_name,
    version='0.1.0',
    packages=find_packages(exclude=['test']),
    data_files=[
        ('share/ament_index/resource_index/packages', ['resource/' + package_name]),
        (share, ['package.xml']),
        (os.path.join(share, 'urdf'), sorted(glob('../../urdf/*.xacro'))),
        (os.path.join(share, 'config'), ['../../config/robot.yaml']),
    ],
    install_requires=['setuptools'],
    zip_safe=True,
    maintainer='The softshell authors',
    maintainer_email='softshell@example.org',
    description='The robot: its URDF, panel meshes, and the typed model.',
    license='Apache-2.0',
)

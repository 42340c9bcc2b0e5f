from setuptools import find_packages, setup

package_name = 'softshell_teleop'

setup(
    name=package_name,
    version='1.0.0',
    packages=find_packages(exclude=['test']),
    package_data={package_name: ['py.typed']},
    data_files=[
        ('share/ament_index/resource_index/packages', ['resource/' + package_name]),
        ('share/' + package_name, ['package.xml']),
        ('share/' + package_name + '/config', ['../../config/teleop.yaml']),
    ],
    install_requires=['setuptools'],
    zip_safe=True,
    maintainer='The softshell authors',
    maintainer_email='softshell@example.org',
    description='Drives the robot from a keyboard.',
    license='Apache-2.0',
    entry_points={
        'console_scripts': ['keyboard = softshell_teleop.main:keyboard'],
    },
)

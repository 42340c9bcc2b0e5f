from setuptools import find_packages, setup

package_name = 'softshell_hardware'

setup(
    name=package_name,
    version='1.0.0',
    packages=find_packages(exclude=['test']),
    package_data={package_name: ['py.typed']},
    data_files=[
        ('share/ament_index/resource_index/packages', ['resource/' + package_name]),
        ('share/' + package_name, ['package.xml']),
    ],
    install_requires=['setuptools'],
    zip_safe=True,
    maintainer='The softshell authors',
    maintainer_email='softshell@example.org',
    description='Servos on serial buses: the bridge that drives them, and an emulator of them.',
    license='Apache-2.0',
    entry_points={
        'console_scripts': [
            'hardware_bridge = softshell_hardware.main:hardware_bridge',
            'servo_emulator = softshell_hardware.main:servo_emulator',
        ],
    },
)

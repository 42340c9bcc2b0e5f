from setuptools import find_packages, setup

package_name = 'softshell_common'

setup(
    name=package_name,
    version='1.0.0',
    packages=find_packages(exclude=['test']),
    package_data={package_name: ['py.typed']},
    data_files=[
        ('share/ament_index/resource_index/packages', ['resource/' + package_name]),
        ('share/' + package_name, ['package.xml']),
    ],
    install_requires=['pydantic>=2', 'pyyaml', 'softshell_kinematics'],
    extras_require={'plots': ['matplotlib']},
    zip_safe=True,
    maintainer='The softshell authors',
    maintainer_email='softshell@example.org',
    description='What every softshell package shares.',
    license='Apache-2.0',
)

from setuptools import find_packages, setup

package_name = 'softshell_continuum'

setup(
    name=package_name,
    version='1.0.0',
    packages=find_packages(exclude=['test']),
    package_data={package_name: ['py.typed']},
    data_files=[
        ('share/ament_index/resource_index/packages', ['resource/' + package_name]),
        ('share/' + package_name, ['package.xml']),
    ],
    install_requires=[
        'numpy',
        'pydantic>=2',
        'pyyaml',
        'scipy',
        'softshell_common',
        'softshell_kinematics',
    ],
    extras_require={'plots': ['matplotlib']},
    zip_safe=True,
    maintainer='The softshell authors',
    maintainer_email='softshell@example.org',
    description='Soft manipulators: definitions, chains, tendons, statics, calibration.',
    license='Apache-2.0',
)

from setuptools import find_packages, setup

package_name = 'softshell_dashboard'

setup(
    name=package_name,
    version='1.0.0',
    packages=find_packages(exclude=['test']),
    package_data={package_name: ['py.typed', 'page/*']},
    data_files=[
        ('share/ament_index/resource_index/packages', ['resource/' + package_name]),
        ('share/' + package_name, ['package.xml']),
        ('share/' + package_name + '/config', ['../../config/dashboard.yaml']),
    ],
    install_requires=['setuptools'],
    zip_safe=False,
    maintainer='The softshell authors',
    maintainer_email='softshell@example.org',
    description='A page in the browser to watch and drive a robot.',
    license='Apache-2.0',
    entry_points={
        'console_scripts': ['dashboard = softshell_dashboard.main:dashboard'],
    },
)

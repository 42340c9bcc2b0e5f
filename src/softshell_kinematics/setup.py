from pathlib import Path

from setuptools import find_packages, setup

package_name = 'softshell_kinematics'
# Beside the source, also when colcon runs a link to this file.
readme = Path(__file__).resolve().with_name('README.md')

setup(
    name=package_name,
    version='1.0.0',
    packages=find_packages(exclude=['test']),
    package_data={package_name: ['py.typed']},
    data_files=[
        ('share/ament_index/resource_index/packages', ['resource/' + package_name]),
        ('share/' + package_name, ['package.xml']),
    ],
    python_requires='>=3.11',
    install_requires=['numpy', 'numba>=0.60'],
    zip_safe=False,
    maintainer='The softshell authors',
    maintainer_email='softshell@example.org',
    description='Fast batched kinematics of serial and parallel robots.',
    long_description=readme.read_text(encoding='utf-8'),
    long_description_content_type='text/markdown',
    license='Apache-2.0',
)

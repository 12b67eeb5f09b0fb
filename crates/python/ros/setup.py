"""The package as colcon builds it. Its version is that of package.xml."""

from pathlib import Path
from xml.etree import ElementTree

from setuptools import setup

setup(version=ElementTree.parse(Path(__file__).with_name("package.xml")).findtext("version"))

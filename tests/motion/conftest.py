"""Tests here import `planned_walker` as a module of their folder."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

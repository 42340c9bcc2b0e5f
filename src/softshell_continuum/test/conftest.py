"""What tests of this package share stands beside them."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # rods

"""`python -m ragheal_cli` is `ragheal`."""

import sys

from .app import main

sys.exit(main())

"""Long-term memory: query plans that ended in a verified answer, tried first when a question like it comes again.

`plans.py` is the memory itself (`PlanMemory`: remember, recall, strengthen, weaken, forget), `distil.py` takes
the plan out of a trace, `guard.py` tells a rewording from another question (with `words.py`, what may stand
for what), `normal.py` is a question as it is compared with itself, `store.py` the database, `vectors.py` the
search over it.
"""

from ragheal.memory.plans import PlanMemory
from ragheal.memory.store import Remembered

__all__ = ["PlanMemory", "Remembered"]

"""How long is fuzzed? `@fuzz` on every test says: a fixed set of inputs, the same in every run.

TIPTOE_FUZZ_EXAMPLES=20000 .venv/bin/pytest tests/fuzz --timeout=0

looks further: so many inputs for each test, new ones every time; what fails is kept in `.hypothesis` and
tried first the next time.
"""

import os

from hypothesis import HealthCheck, settings

_EXAMPLES = int(os.environ.get("TIPTOE_FUZZ_EXAMPLES", "0"))

# No deadline: it would judge the load of the machine. Tests of time count the processor's instead.
fuzz = settings(
    max_examples=_EXAMPLES or 150,
    derandomize=not _EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)

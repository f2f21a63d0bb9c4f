"""What pyproject.toml cannot say: some modules are compiled where there is a C compiler.

Everything runs without them, by the modules of the same name without `compiled_`; `TIPTOE_PURE=1` leaves them
out, for a wheel that installs anywhere.
"""

import os
from pathlib import Path

from setuptools import Extension, setup

try:
    from Cython.Build import cythonize
except ImportError:
    cythonize = None

SOURCES = sorted(Path("src").rglob("compiled_*.pyx"))


def extensions() -> list[Extension]:
    if cythonize is None or os.environ.get("TIPTOE_PURE"):
        return []
    modules = cythonize([module(source) for source in SOURCES], build_dir="build/cython", quiet=True)
    for compiled in modules:
        # Where it cannot be compiled, there is none. Said here, since Cython forgets what was said before.
        compiled.optional = True
    return modules


def module(source: Path) -> Extension:
    name = ".".join(source.with_suffix("").parts[1:])
    return Extension(name, [str(source)], extra_compile_args=["-O3", "-g0"])


setup(ext_modules=extensions())

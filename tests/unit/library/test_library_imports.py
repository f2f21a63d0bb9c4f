"""What does `import tiptoe` cost?"""

import subprocess
import sys

import tiptoe


def modules_after(code: str) -> set[str]:
    """Return which of our modules are loaded after some lines of code, in a process of their own."""
    shown = "import sys; print(*[name for name in sys.modules if name.startswith('tiptoe')])"
    command = [sys.executable, "-c", f"{code}\n{shown}"]
    done = subprocess.run(command, capture_output=True, check=True, text=True)
    return set(done.stdout.split())


def test_importing_the_package_loads_nothing_of_it() -> None:
    """The command line begins with this import, and must not pay for a notebook."""
    assert modules_after("import tiptoe") == {"tiptoe"}


def test_reading_a_text_does_not_load_the_crawler() -> None:
    """No event loop, no database, no sockets for somebody who has a string."""
    loaded = modules_after("from tiptoe import extract, identify_language, split_sentences")
    assert {name for name in loaded if name.startswith(("tiptoe.keeper", "tiptoe.store"))} == set()


def test_every_public_name_is_there_and_a_stranger_is_not() -> None:
    assert all(callable(getattr(tiptoe, name)) for name in tiptoe.__all__)
    assert set(tiptoe.__all__) <= set(dir(tiptoe))
    assert not hasattr(tiptoe, "nothing_of_ours")

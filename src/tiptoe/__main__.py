"""`python -m tiptoe` is `tiptoe`."""

from tiptoe.cli.main import main

main()

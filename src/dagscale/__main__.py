"""`python -m dagscale` is the command `dagscale`."""

from dagscale.cli import main

main()

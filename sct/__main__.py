"""`python -m sct`: the command `sct`, where its script is not on the path."""

from sct.cli import main

if __name__ == "__main__":
    main(prog_name="sct")

"""`python -m evalrag`."""

from evalrag.cli.main import main

if __name__ == "__main__":
    main()

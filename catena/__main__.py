"""Entry of the command `catena` and of `python -m catena`."""

import sys


def main() -> int:
    """Run the command line and return its exit code."""
    try:
        from catena import cli
    except ModuleNotFoundError as missing:
        library = (missing.name or "").partition(".")[0]
        if library not in ("typer", "rich"):
            raise
        hint = f"the command line needs {library}: pip install 'catena-engine[cli]'"
        print(f"catena: {hint}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return cli.run()


if __name__ == "__main__":
    sys.exit(main())

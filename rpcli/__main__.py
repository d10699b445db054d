"""``python -m rpcli``."""

from rpcli.main import main

if __name__ == "__main__":
    main()

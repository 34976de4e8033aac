"""One file a command: it reads its options, calls the engine, and returns an `Output`."""

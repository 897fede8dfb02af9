"""Games on disk, a line each, to be gone on with."""

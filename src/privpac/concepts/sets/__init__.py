"""Points, and the sets that find them: codes, hashes, keys, sparse sets."""

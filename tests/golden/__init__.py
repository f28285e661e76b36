"""The golden corpus: what this version writes, byte by byte, so that no change of it goes unseen."""

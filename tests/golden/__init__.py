"""The golden corpus: what each released version wrote, byte by byte, and the promise that it stays readable."""

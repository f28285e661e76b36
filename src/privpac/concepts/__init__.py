"""Classes of concepts, one per file, with the hypotheses they release."""

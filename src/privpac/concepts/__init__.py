"""Classes of concepts, one a file, with the hypotheses they release."""

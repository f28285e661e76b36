"""Few labels and many records without: generic, boosted, relabelled, asked for."""

"""The folder that answers: its public description, its secret files, and how they are read back."""

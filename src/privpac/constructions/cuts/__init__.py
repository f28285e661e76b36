"""Finding a good cut: by recursion, behind noise, between switches."""

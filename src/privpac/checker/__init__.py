"""Re-derives stored certificates with arithmetic of its own; imports nothing of the package but its errors."""

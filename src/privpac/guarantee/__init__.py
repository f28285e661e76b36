"""What is promised, and why."""

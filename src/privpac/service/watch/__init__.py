"""What those who watch the service may know."""

"""Only the labels are private."""

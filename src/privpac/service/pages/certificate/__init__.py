"""The Certificate page."""

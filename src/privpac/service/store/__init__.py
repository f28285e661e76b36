"""The service's tables, and how they are brought up to date."""

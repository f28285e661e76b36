"""API v1: routes, the shapes of requests and replies, and how rows become cells."""

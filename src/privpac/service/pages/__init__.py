"""Web pages for people who do not use a terminal: plan, learn, certificate, budget."""

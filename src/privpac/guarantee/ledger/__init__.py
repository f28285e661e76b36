"""Budgets and everything charged to them: accounts, stores, backups, and the handle people hold."""

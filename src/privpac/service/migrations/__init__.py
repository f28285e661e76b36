"""Alembic migrations of the service's tables; `privpac.service.migrating` runs them."""

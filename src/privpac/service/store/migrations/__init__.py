"""Alembic migrations of the service's tables; `privpac.service.store.migrating` runs them."""

"""Audits: exact ones by enumeration, for the code that ships."""

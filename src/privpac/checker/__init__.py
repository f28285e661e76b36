"""Re-derives stored certificates with arithmetic of its own; imports nothing of the package but its errors.

`python -m privpac.checker FILE` needs this folder, `errors.py` and the standard library.
"""

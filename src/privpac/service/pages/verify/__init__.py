"""The Verify page: checks certificates in a browser, with nothing installed and no request to anywhere else."""

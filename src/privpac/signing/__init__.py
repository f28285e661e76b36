"""Who vouches for a document: signatures, the keys they are made with, and receipts of charges."""

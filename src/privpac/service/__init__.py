"""The prediction service: answers over HTTP from a bundle, each paid for in the ledger before it leaves."""

"""The forecast of `privpac.theory.forecast`: the runs it is fitted on, its constants, and how well it does."""

"""The statements themselves, by topic; `privpac.theory.register` gathers them."""

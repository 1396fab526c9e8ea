"""How sure: what the graphs nearby, the residuals and the rows say of every edge and its direction."""

"""The search: one objective, one loop, and what proposes changes to it."""

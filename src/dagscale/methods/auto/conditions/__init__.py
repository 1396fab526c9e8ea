"""Rows under conditions: interventions and environments, searched together with the edges."""

"""Simulation: random graphs, mechanisms and noise, and tables drawn from them."""

from dagscale.data.simulate.simulation import Simulation, simulate

__all__ = ["Simulation", "simulate"]

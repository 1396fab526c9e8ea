"""Estimators of the score and of its Jacobian, one file each."""

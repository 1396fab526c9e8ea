"""Trust under stress: `make stress` tries to break every promise of the package from outside."""

"""p(child | parents) with noise of any kind: mean, spread and density, on one scale, in nats."""

"""Benchmarks of speed and quality on this machine. Ratios come from one run in which both sides alternate."""

"""svsieve beside its peers: both sides timed in one run, reported as ratios.

Run ``python -m benchmarks.compare`` from the repository root; ``benchmarks/README.md``
says how to read the tables.
"""

"""How `Sieve` decides: candidates, trials on folds, the choice, and its honest estimate."""

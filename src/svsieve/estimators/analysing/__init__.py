"""How an analysis is made: its settings, what is run, and how it is told in words."""

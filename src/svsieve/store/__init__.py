"""Runs that survive being killed."""

from svsieve.store.checkpoint import Checkpoint, Fingerprint

__all__ = ["Checkpoint", "Fingerprint"]

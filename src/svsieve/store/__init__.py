"""Runs that survive being killed."""

from svsieve.store.checkpoint import Checkpoint, Fingerprint
from svsieve.store.run_store import Result, RunStore
from svsieve.store.settings import settings_key

__all__ = ["Checkpoint", "Fingerprint", "Result", "RunStore", "settings_key"]

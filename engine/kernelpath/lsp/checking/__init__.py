"""Packs as they are being written: read again after each edit, checking only what the edit can have changed."""

"""Packs as they are being written: read anew after each edit, checking again only what the edit can have changed."""

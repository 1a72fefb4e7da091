"""Manifests in an editor: what the rules say of them, and what becomes of their items."""

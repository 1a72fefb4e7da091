"""Render the language reference."""


def render_reference() -> str:
    """Return the reference as Markdown."""
    return ""

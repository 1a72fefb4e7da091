"""What the texts of a pack name: where each name stands, what it means, and where it is declared."""

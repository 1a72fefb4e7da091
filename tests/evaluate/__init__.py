"""How packs run: walks, slots, faults and what they leave unknown."""

"""The lints, one file each."""

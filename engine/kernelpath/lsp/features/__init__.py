"""What an editor asks for, as functions of texts and the pack: no protocol, and no state of their own."""

"""What a green run must survive before it is believed: each ward in a file of its own."""

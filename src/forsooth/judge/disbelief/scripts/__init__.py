"""How a script is made to tell that it came to its end, one language a file."""

"""What an agent's host runs on each event: standard library only, and never in anyone's way."""

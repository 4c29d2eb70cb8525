"""What a check needs around it: detected, built once, kept out of the agent's reach."""

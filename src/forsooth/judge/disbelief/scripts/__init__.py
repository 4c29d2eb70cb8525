"""Scripts that are criteria: made to tell that they ended, or to expect what cannot be."""

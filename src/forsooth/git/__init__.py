"""The one home of git: nothing of a repository's own configuration is ever in force here."""

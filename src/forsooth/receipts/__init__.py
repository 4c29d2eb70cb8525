"""Signed proof that a stranger can check: statements, envelopes, keys, signers and their carriage.

Nothing here judges, reads the clock or the environment, or takes a signer's word for who may sign.
"""

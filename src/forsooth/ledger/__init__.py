"""Durable bytes: the hash-chained events of a plan, and the caches made from them."""

"""Agents' own way in: the Model Context Protocol, spoken by the official SDK.

It acts as an agent. It never seals without asking a person, and never trusts, signs or waives.
"""

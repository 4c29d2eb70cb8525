"""Agents as programs of this machine: what they are asked, and how they are given our package."""

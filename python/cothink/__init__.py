"""Drives a server that was started with `cothink serve`: its team, its worlds and its rewards."""

from .client import Answer, Client, CothinkError, Observation, Rewards

__all__ = ["Answer", "Client", "CothinkError", "Observation", "Rewards"]

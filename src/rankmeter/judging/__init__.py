"""Judgments from clicks."""

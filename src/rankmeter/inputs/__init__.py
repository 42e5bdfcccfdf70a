"""How data comes in: mappings, lists, arrays, frames and files become sources that can be placed.

Each kind is loaded when such data comes: a plain text needs nothing of what tables need.
"""

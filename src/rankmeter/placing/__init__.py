"""Where the judged items stand: one index of judgments, a module per kind of run, all giving the same placements.

Each is loaded when such data comes: a mapping needs nothing of what tables need.
"""

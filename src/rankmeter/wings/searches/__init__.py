"""Several searches for one question: runs with calls, and measures of a session of them."""

"""Before the number: splits of interactions, and the protocol that says how they were made.

An input becomes :mod:`.interactions`, three or four arrays of whole numbers. A strategy (:mod:`.strategies`, or the
words of other tools, :mod:`.tool_words`) gives every row a label: train, validation, test or none. Steps before and
after are in :mod:`.steps`; :mod:`.splitting` puts them in their stated order and counts; :mod:`.split_parts` are what
comes out, :mod:`.statement` says how, and :mod:`.repeating` makes it again.
"""

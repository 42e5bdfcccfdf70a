"""The verb, in the order in which a call passes its modules.

``asking`` (which measures) -> ``planning`` (what must be placed for them) -> ``measuring`` (values from placements) ->
``tie_bounds`` (how far ties could move them) -> ``result`` (what comes back, with ``reasons`` for what is missing and
``fingerprints`` of what it was judged by), ``stored`` in a file. ``evaluation`` calls them.
"""

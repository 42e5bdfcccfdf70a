"""The verb ``evaluate``: its modules in the order in which a call passes them.

``verb`` (the call) -> ``asking`` (which measures) -> ``planning`` (what must be placed for them) -> ``little`` (a few
short lists are measured at once) -> ``pairing`` (judgments and run) -> ``measuring`` (values from placements) ->
``tie_bounds`` (how far ties could move them) -> ``facts`` (what was evaluated) -> ``evaluation`` (which calls these) ->
``result`` (what comes back, with ``fingerprints`` of the judgments), ``stored`` in a file.
"""

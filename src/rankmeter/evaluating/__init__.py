"""The verb ``evaluate``: its modules in the order in which a call passes them.

``verb`` (the call) -> ``asking`` (which measures) -> ``little`` (a few short lists are measured at once) -> ``pairing``
(judgments and run) -> ``measuring`` (what must be placed, values from placements, how far ties could move them) ->
``facts`` (what was evaluated) -> ``evaluation`` (which calls these) -> ``result`` (what comes back, with
``fingerprints`` of the judgments), ``stored`` in a file.
"""

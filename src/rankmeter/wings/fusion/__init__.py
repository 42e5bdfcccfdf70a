"""Fusion of runs: definitions by name, tuning without self-deception, several searches for one question.

A :class:`~rankmeter.wings.fusion.definition.Fusion` says how runs become one, each convention as a field. Runs are put
together query by query (:mod:`.pooling`), their scores are put on one scale (:mod:`.scales`), each list contributes to
its items and the contributions are combined (:mod:`.methods`); :mod:`.fusing` is the call.
"""

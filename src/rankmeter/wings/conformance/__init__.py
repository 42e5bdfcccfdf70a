"""Metrics of others: which definition a function follows, and where it leaves it.

The cases in ``v1/cases.json`` are small inputs made by hand, each with the question that it asks. A function is called
with each of them (:mod:`.callables`, :mod:`.programs`); what it answers is compared with what every known definition
gives there (:mod:`.known_definitions`, :mod:`.expectations`), and :mod:`.checking` says which of them it follows.
"""

"""Metrics and numbers of others: which definition a function follows or a number comes from.

The cases in ``v1/cases.json`` are small inputs made by hand, each with the question that it asks. A function is called
with each of them (:mod:`.subjects`); what it answers is compared with what every known definition
gives there (:mod:`.known_definitions`, :mod:`.expectations`), and :mod:`.checking` says which of them it follows.
A reported number needs no function: :mod:`.reconcile` looks for the definitions that give it on the same data.
"""

"""After the number: published tables audited without data, systems across tasks, history of a system.

:mod:`.printed` reads numbers as they are printed, :mod:`.printed_tables` whole tables of them; :mod:`.claim_bounds`
says what is possible together, :mod:`.derived_cells` what was computed from other cells, and :mod:`.auditing` puts it
into a verdict (:mod:`.verdicts`). :mod:`.across` compares systems, :mod:`.history` keeps evaluations over time.
"""

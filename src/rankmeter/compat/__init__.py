"""Where scripts find the interfaces of other tools: ``from rankmeter.compat import pytrec_eval``."""

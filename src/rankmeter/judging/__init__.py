"""Where the truth comes from: how far judges agree, and numbers from few human and many machine judgments.

rankmeter calls no model: grades come as files and tables, whoever gave them.

- :mod:`rankmeter.judging.panel` puts the grades of several judges side by side;
- :mod:`rankmeter.judging.panel_agreement` says how far they agree;
- :mod:`rankmeter.judging.assistance` makes values and differences from few human and many machine judgments;
- :mod:`rankmeter.judging.draws` draws what people judge next, and records the chances;
- :mod:`rankmeter.judging.two_leaderboards` ranks systems under two judges;
- :mod:`rankmeter.judging.abstention` looks at queries without a right answer;
- :mod:`rankmeter.judging.evidence_scores` measures evidence as spans of documents;
- :mod:`rankmeter.judging.nugget_scores` scores answers by their nuggets.
"""

"""Where judgments come from: how far judges agree, few people beside a machine, what to judge next.

rankmeter calls no model: grades come as files and tables, whoever gave them.

- :mod:`~rankmeter.wings.judging.panel` puts the grades of several judges side by side;
  :mod:`~rankmeter.wings.judging.panel_agreement` says how far they agree;
- :mod:`~rankmeter.wings.judging.assistance` makes values and differences from few human and many machine judgments;
- :mod:`~rankmeter.wings.judging.draws` draws what people judge next, and records the chances;
- :mod:`~rankmeter.wings.judging.judge_page` makes the page on which they do;
- :mod:`~rankmeter.wings.judging.two_leaderboards` ranks systems under two judges;
- :mod:`~rankmeter.wings.judging.abstention` looks at queries without a right answer;
- :mod:`~rankmeter.wings.judging.evidence_scores` measures evidence as spans of documents;
- :mod:`~rankmeter.wings.judging.nugget_scores` scores answers by their nuggets.
"""

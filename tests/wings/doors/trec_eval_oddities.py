"""Calls of trec_eval as nobody means them: files and options that it takes, or refuses, in a way of its own."""

from __future__ import annotations

from collections.abc import Iterator

JUDGMENTS = "q1 0 a 1\nq1 0 b 0\nq1 0 c 2\nq1 0 e -1\nq2 0 a 3\nq2 0 d 1\nq2 0 f 0\n"
RUN = (
    "q1 Q0 a 1 3.5 t1\nq1 Q0 x 2 3 t1\nq1 Q0 b 3 2 t1\nq1 Q0 c 4 1.5 t1\nq1 Q0 e 5 1 t1\n"
    "q2 Q0 y 1 9 t1\nq2 Q0 d 2 8 t1\nq2 Q0 f 3 8 t2\nq2 Q0 a 4 7 t3\n"
)
SCORES = "0x10 1abc nan NaN(3) -nan inf -inf infinity 1e400 abc --1 .5 5. 1_000 1,5 1e 0x 0x1p-2 2 16777217".split()
GRADES = "0x2 abc 1.9 0.9 1e3 3x .5 +1 -0 inf 007 99 99999999999999999999 -2".split()
OPTIONS = (
    "-M0; -Mx; -M99999999999999999999; -M3 -J; -M0 -J; -l0; -l-1; -l-2 -J; -l-3 -c; -l99; -lx; -l1.9; -l99999999999;"
    "-Nx; -N-5; -N99999999999999999999; -D0.q2; -D0.; -D0.zz; -n; -R other; -T other; -R prefs;"
    "-m runid; -m num_q; -m runid -m num_q -n"
)
MEASURES = (
    "11pt_avg..6,.3; 11pt_avg.1.5,.2; 11pt_avg.-1,2,.5; iprec_at_recall.1.2,0.9,-.3; iprec_at_recall.0.331,0.332;"
    "map.5; num_ret.3; P.1e2,7; P.abc; P.5,5; P.0; P.-3; P.99999999999; P.5x,3; recall.2,,3; utility.1,2;"
    "utility.a,b,1,1; utility.1e300,2,3,inf; set_F.0; set_F.-1; set_F.x; relstring.0; relstring.-3; relstring.1e30;"
    "relstring.nan; relstring.2.9; Rprec_mult.0; Rprec_mult.-1,.5; Rprec_mult.7.5; ndcg.1; ndcg.1=2=3; ndcg.=3;"
    "ndcg.1=; ndcg.a=3; ndcg.1=.5,2=.7; ndcg.1=3.5,2=3.2; ndcg.1=-1; ndcg.0=2; ndcg.5=100; ndcg.1=3,1=5;"
    "ndcg.-1=4; ndcg.+1=4; G.1=-2; G.1=.5,2=.7; G.-1=2; Rndcg.1=.5,2=.7; Rndcg.1=-1; ndcg_rel.1=-1; ndcg_rel.1=.3,2=.2;"
    "ndcg_cut.1=3; official.5; map.; nosuch; all_trec.; rbp_resid.p=2; rbp_resid.p=x; dcg.1=-3; unj.0; unj.2; yaap.2;"
    "gm_map.2"
)


def odd_calls() -> Iterator[tuple[str, str, list[str]]]:
    """Judgments, run and options of every call."""
    for line in OPTIONS.split(";"):
        yield JUDGMENTS, RUN, ["-q", "-m", "official", *line.split()]
        yield JUDGMENTS, RUN, ["-q", "-c", "-m", "set", "-m", "yaap", "-m", "binG", "-m", "map_cut.1,3", *line.split()]
    for measure in MEASURES.split(";"):
        yield JUDGMENTS, RUN, ["-q", "-m", measure.strip()]
        yield JUDGMENTS, RUN.replace("q1", "q3"), ["-q", "-c", "-J", "-m", measure.strip()]
    usual = ["-q", "-m", "official", "-m", "relstring"]
    for judgments, run in odd_files():
        yield judgments, run, usual
        yield judgments, run, [*usual, "-c", "-M2"]


def odd_files() -> Iterator[tuple[str, str]]:
    """Judgments and runs, one of them odd."""
    for score in SCORES:
        yield JUDGMENTS, RUN.replace(" 3 t1", f" {score} t1").replace(" 8 t2", f" {score} t2")
    for grade in GRADES:
        yield JUDGMENTS.replace("c 2", f"c {grade}"), RUN
    for odd in ODD_LINES:
        yield _with_line(JUDGMENTS, odd), RUN
        yield JUDGMENTS, _with_line(RUN, odd)
        yield JUDGMENTS + odd, RUN
        yield JUDGMENTS, RUN + odd
    for change in CHANGES:
        yield JUDGMENTS.replace(*change), RUN
        yield JUDGMENTS, RUN.replace(*change)
        yield JUDGMENTS.replace(*change), RUN.replace(*change)
    for text in ("", "\n", " \n\n", "# nothing\n", "\0\n"):
        yield text, RUN
        yield JUDGMENTS, text
    yield JUDGMENTS[:-1], RUN[:-1]
    yield "q1 0 a -1\n" + JUDGMENTS.replace("q1", "q3"), RUN
    yield JUDGMENTS, RUN.replace("q", "z")
    yield JUDGMENTS + "q0 0 a 1\n", RUN
    yield JUDGMENTS + "q9 0 a 1\n", RUN


ODD_LINES = (
    "\n", "  \t\n", "# a comment\n", "# one\n# two\n", "#q 0 a 1\n", "#q Q0 a 1 2 t\n", "  # a b 1\n", "q7 0 a 1\n",
    "q7 0 a 1 more\n", "q7 0 a\n", "q7 Q0 a 1 2 t and more\n", "q7 Q0 a 1 2\n", "q7 Q0 a 1 2 \n", "q2 0 a 1\n",
    "q2 Q0 a 1 2 t\n", "q7 0 a 1\nq7 0 a 2\n", "q7 Q0 a 1 2 t\nq7 Q0 a 1 2 t\n", "\0\n", "q7 0 \0 1\n",
)  # fmt: skip
"""Lines that are put between the others, and at the end."""
CHANGES = (
    (" ", "\t"), (" ", "  "), (" ", "\v"), ("\n", "\r\n"), ("\n", " \t\n"), ("\n", "\r"), ("q1 ", "q1\r"), ("q", " q"),
    ("q1", "\xef\xbb\xbfq1"), ("q1", "q\xe9"), ("q1", "q\xc3\xa9"), ("a ", "\xff "), ("a ", "\xc3\xa4 "),
    ("a ", "a\x1cb "), ("a ", "a\xa0b "), ("q1", "q%d"), ("t3", "%s\xff"),
)  # fmt: skip
"""What is put in place of what, everywhere."""


def _with_line(text: str, line: str) -> str:
    first, rest = text.split("\n", 1)
    return f"{first}\n{line}{rest}"

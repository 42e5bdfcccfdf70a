"""Roles of measures in every combination, bad events among good ones, and models against their own definition."""

from __future__ import annotations

import itertools
import math

import numpy as np
import polars as pl
import pytest

import rankmeter as rm
from rankmeter.errors import InputError
from rankmeter.wings.online import click_models
from rankmeter.wings.online.click_models import dynamic_bayesian, position_based
from rankmeter.wings.online.interleaving import MOST_VERSIONS, interleave_runs

NAN, INF = math.nan, math.inf


def refused(call, *values, **options) -> str:
    with pytest.raises(InputError) as told:
        call(*values, **options)
    return told.value.problem.kind


def events(users: int = 90, variants: str = "ABC", seed: int = 3) -> pl.DataFrame:
    """Impressions, some clicked, some of these followed by a conversion."""
    random = np.random.default_rng(seed)
    rows = []
    for user in range(users):
        place = user % len(variants)
        for item in range(4):
            row = {"user": f"u{user}", "request": f"r{user}", "item": f"i{item}", "variant": variants[place],
                   "position": item + 1}  # fmt: skip
            rows.append({**row, "time": item, "type": "impression"})
            if random.random() < 0.3 + 0.1 * place:
                rows.append({**row, "time": item + 10, "type": "click"})
                if random.random() < 0.4:
                    rows.append({**row, "time": item + 20, "type": "conversion"})
    return pl.DataFrame(rows)


LOG = events()
MEASURES = ["CTR", "CVR", "Conversions"]


def holm(chances: list[float]) -> list[float]:
    order = sorted(range(len(chances)), key=chances.__getitem__)
    corrected, highest = [0.0] * len(chances), 0.0
    for step, place in enumerate(order):
        highest = max(highest, min(1.0, chances[place] * (len(chances) - step)))
        corrected[place] = highest
    return corrected


@pytest.mark.parametrize("guardrails", [{}, {"Conversions": 0.5}, {"Conversions": 0.5, "CVR": 0.5}])
@pytest.mark.parametrize("primary", [(), ("CTR",), ("CVR",), ("CTR", "CVR")])
def test_every_plan_gives_measures_their_roles_and_corrects_each_family_alone(primary, guardrails):
    plan = {name: value for name, value in (("primary", primary), ("guardrails", guardrails)) if value}
    if set(primary) & set(guardrails):
        assert refused(rm.online.experiment, LOG, MEASURES, **plan) == "online.primary_and_guardrail"
        return
    found = rm.online.experiment(LOG, MEASURES, **plan)
    roles = {str(effect.measure): effect.role for effect in found.effects}
    rest = "diagnostic" if plan else ""
    assert roles == {
        name: "primary" if name in primary else "guardrail" if name in guardrails else rest for name in roles
    }
    families: dict[str, list] = {}
    for effect in found.effects:
        families.setdefault(effect.family, []).append(effect)
    for effects in families.values():
        expected = holm([effect.p for effect in effects])
        assert [effect.p_corrected for effect in effects] == pytest.approx(expected)
    asked = [name for name in MEASURES if name not in guardrails]
    first = "first" if not primary and asked else None
    for effect in found.effects:
        name = str(effect.measure)
        if name in primary or name in guardrails:
            assert effect.family == roles[name]
        elif first and name == asked[0]:
            assert effect.family == "first"
        else:
            assert effect.family in ("others", "beside")
        assert math.isnan(effect.margin or NAN) == (name not in guardrails)


@pytest.mark.parametrize("role", ["primary", "guardrails"])
def test_what_has_no_direction_has_no_role(role):
    given = {"primary": "SessionDuration"} if role == "primary" else {"guardrails": {"SessionDuration": 0.1}}
    assert refused(rm.online.experiment, LOG, ["CTR"], **given) == "online.no_direction"
    better = {"primary": "SessionDuration(better=lower)"}
    if role == "guardrails":
        better = {"guardrails": {"SessionDuration(better=lower)": 0.1}}
    assert rm.online.experiment(LOG, ["CTR"], **better).effects


@pytest.mark.parametrize("bad", [0, -1, None])
def test_an_event_without_a_position_counts_for_no_place(bad):
    """One row among good ones: the rates are those of the log without it. Positions of this log begin at 1."""
    model = {"model": "ctr", "examination": [1.0, 0.8, 0.6, 0.4]}
    log = events(30, "A").with_columns(query=pl.lit("q"))
    row = log.filter(type="impression").head(1)
    alone = {"user": "new", "request": "new"}
    good = row.with_columns(**{name: pl.lit(value) for name, value in alone.items()})
    odd = good.with_columns(position=pl.lit(bad, pl.Int64))
    frames = [rm.judgments_from_clicks(frame, **model).frame for frame in (log, pl.concat([log, good]))]
    assert not frames[0].equals(frames[1])
    if bad == 0:  # then positions are counted from 0: the same lists, one place later
        return
    assert rm.judgments_from_clicks(pl.concat([log, odd]), **model).frame.equals(frames[0])


def likelihood_of(pair, clicked, attraction, satisfaction, continuation) -> float:
    """The log likelihood of a DBN, by going through everything that users may have done."""
    total = 0.0
    for items, clicks in zip(pair.tolist(), clicked.tolist(), strict=True):
        items = [item for item in items if item >= 0]

        def chance(place: int, items=items, clicks=clicks) -> float:
            """Of the clicks from a place on that is looked at."""
            if place == len(items):
                return 1.0
            nothing = float(not any(clicks[place + 1 : len(items)]))
            further = chance(place + 1)
            stays = (1 - continuation) * nothing + continuation * further
            if not clicks[place]:
                return (1 - attraction[items[place]]) * stays
            content = satisfaction[items[place]]
            return attraction[items[place]] * (content * nothing + (1 - content) * stays)

        total += math.log(chance(0))
    return total


def lists_of(seed: int, depth: int = 4, pairs: int = 3):
    random = np.random.default_rng(seed)
    pair, clicked = random.integers(0, pairs, (12, depth)), random.random((12, depth)) < 0.35
    for row in range(4):  # shorter lists, of one place too
        pair[row, row + 1 :], clicked[row, row + 1 :] = -1, False
    clicked[4:6] = False
    clicked[6:8, -1] = True
    return pair, clicked


@pytest.mark.parametrize("depth", [1, 2, 4])
@pytest.mark.parametrize("seed", range(4))
def test_the_likelihood_of_the_dynamic_bayesian_model_is_its_definition(seed, depth):
    pair, clicked = lists_of(seed, depth)
    parameters = [0.5] * 3, [0.5] * 3, 0.9  # where it begins
    for rounds in range(1, 4):
        fitted = dynamic_bayesian(pair, clicked, 3, rounds=rounds)
        assert fitted.log_likelihood == pytest.approx(likelihood_of(pair, clicked, *parameters))
        parameters = fitted.attraction.tolist(), fitted.satisfaction.tolist(), fitted.continuation


@pytest.mark.parametrize("tolerance", [1e-3, 1e-5])
@pytest.mark.parametrize("seed", range(4))
def test_a_model_is_fitted_until_it_is_hardly_likelier(seed, tolerance, monkeypatch):
    pair, clicked = lists_of(seed)
    reached: list[float] = []
    expected = click_models._expected

    def noted(*values):
        found = expected(*values)
        reached.append(found[-1])
        return found

    monkeypatch.setattr(click_models, "_expected", noted)
    monkeypatch.setattr(click_models, "TOLERANCE", tolerance)
    assert dynamic_bayesian(pair, clicked, 3).log_likelihood == reached[-1]
    small = [after - before < tolerance * max(abs(after), 1) for before, after in itertools.pairwise(reached)]
    assert small == [False] * (len(small) - 1) + [True]


@pytest.mark.parametrize("seed", range(4))
def test_no_small_step_makes_the_position_based_model_likelier(seed):
    random = np.random.default_rng(seed)
    pair, position = (grid.ravel() for grid in np.meshgrid(np.arange(3), np.arange(3)))
    shown = random.integers(5, 30, 9).astype(float)
    clicked = np.floor(shown * random.uniform(0.1, 0.6, 9))

    def likely(attraction, examination):
        chance = attraction[pair] * examination[position]
        return float((clicked * np.log(chance) + (shown - clicked) * np.log1p(-chance)).sum())

    fitted = position_based(pair, position, shown, clicked)
    best = likely(fitted.attraction, fitted.examination)
    assert fitted.log_likelihood == pytest.approx(best)
    assert fitted.examination[0] == 1
    for side, place, factor in itertools.product((0, 1), range(3), (0.98, 1.02)):
        sides = [fitted.attraction.copy(), fitted.examination.copy()]
        sides[side][place] *= factor
        if (sides[0][:, None] * sides[1] < 1).all():
            assert likely(*sides) <= best + 1e-9


@pytest.fixture
def runs(tmp_path):
    for name, items in (("a", "xyz"), ("b", "yxwv")):
        rows = [f"{q} Q0 {item} 0 {9 - place} {name}" for q in ("q1", "q2") for place, item in enumerate(items)]
        (tmp_path / name).write_text("\n".join(rows) + "\n")
    return tmp_path / "a", tmp_path / "b"


@pytest.mark.parametrize(
    ("versions", "kind"),
    [
        (-1, "general.not_whole"),
        (0, "general.not_whole"),
        (1, ""),
        (2, ""),
        (3, "online.versions"),
        (4, ""),
        (MOST_VERSIONS - 1, "online.versions"),
        (MOST_VERSIONS, ""),
        (MOST_VERSIONS + 1, "online.versions"),
        (MOST_VERSIONS + 2, "online.versions"),
        (2.0, "general.not_whole"),
        (True, "general.not_whole"),
    ],
)
def test_lists_of_a_query_are_one_or_pairs_of_mirror_images(runs, versions, kind):
    if kind:
        assert refused(interleave_runs, *runs, versions=versions) == kind
        return
    table, left_out = interleave_runs(*runs, versions=versions, length=2)
    assert left_out == 0
    assert table["version"].n_unique() == versions
    mirror = {"A": "B", "B": "A", "": ""}
    for (_, version), part in table.filter(pl.col("version") <= 4).group_by("query", "version"):
        other = table.filter(query=part["query"][0], version=version + 1 if version % 2 else version - 1)
        if versions > 1:
            assert part["team"].to_list() == [mirror[team] for team in other["team"]]


@pytest.mark.parametrize("option", ["length", "seed"])
@pytest.mark.parametrize("bad", [-1, 0.5, NAN, INF, True, "2"])
def test_a_bad_number_is_refused_where_rankings_are_interleaved(runs, option, bad):
    assert refused(interleave_runs, *runs, **{option: bad}) == "general.not_whole"
    assert refused(rm.online.team_draft, list("xyz"), list("yxw"), **{option: bad}) in (
        "general.not_whole",
        "online.list_length",
    )


@pytest.mark.parametrize(("length", "shown"), [(1, 1), (2, 2), (5, 5), (6, 5), (None, 4)])
def test_a_list_is_as_long_as_asked_and_as_there_are_items(runs, length, shown):
    table, _ = interleave_runs(*runs, length=length)
    assert table.group_by("query", "version").len()["len"].unique().to_list() == [shown]
    assert len(rm.online.team_draft(list("xyz"), list("yxwv"), length=length).items) == shown
    assert refused(interleave_runs, *runs, length=0) == "general.not_whole"
    assert refused(rm.online.team_draft, list("xyz"), list("yxwv"), length=0) == "online.list_length"

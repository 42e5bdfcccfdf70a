"""Online measures in plain Python, rule by rule as the prose has them; slow, and nothing shared with the library."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

Event = dict[str, Any]


def cleaned(events: list[Event]) -> list[Event]:
    """Events with a user and a time, in order of time; a conversion that is the same in everything once."""
    kept, seen = [], set()
    for event in sorted(
        (e for e in events if e["user"] is not None and e["time"] is not None), key=lambda e: e["time"]
    ):
        if event["type"] == "conversion":
            key = tuple(event.get(name) for name in ("user", "time", "item", "request", "value"))
            if key in seen:
                continue
            seen.add(key)
            event = {**event, "type": "refund"} if (event.get("value") or 0) < 0 else event
        kept.append(event)
    return kept


def key_of(event: Event, has_request: bool) -> Any:
    """What makes two impressions or clicks the same; None where they cannot be."""
    if not has_request:
        return None if event["item"] is None else (event["user"], event["item"])
    return (
        None if event["request"] is None or event["item"] is None else (event["user"], event["request"], event["item"])
    )


def exposures(events: list[Event], impressions: str, clicks: str, orphans: str, has_request: bool):  # noqa: C901 (rule by rule)
    """The impressions and clicks that count, each with its position."""
    shown: dict[Any, Event] = {}
    for event in events:
        if event["type"] == "impression" and (key := key_of(event, has_request)) is not None:
            shown.setdefault(key, event)
    any_impression = any(event["type"] == "impression" for event in events)
    found = {"impression": [], "click": []}
    seen = {"impression": set(), "click": set()}
    clicked_requests = set()
    for event in events:
        kind = event["type"]
        if kind not in found:
            continue
        key = key_of(event, has_request)
        once = (impressions if kind == "impression" else clicks) != "all"
        if once:
            same = (key, event["time"]) if not has_request else key
            if not has_request:
                same = (event["user"], event["item"], event["time"])
            if (key is not None or not has_request) and same in seen[kind]:
                continue
            seen[kind].add(same)
        position = event["position"] or 0
        if kind == "click":
            if orphans == "drop" and any_impression and (key is None or key not in shown):
                continue
            if any_impression and key is not None and key in shown and shown[key]["position"]:
                position = shown[key]["position"]
            if clicks == "request" and event["request"] is not None:
                if (event["user"], event["request"]) in clicked_requests:
                    continue
                clicked_requests.add((event["user"], event["request"]))
        found[kind].append({**event, "position": position})
    return found["impression"], found["click"]


def sessions(events: list[Event], measure: Any) -> list[list[Event]]:
    """Sessions by id where an event has one, by pauses where not; either cut at the maximum length."""
    made: list[list[Event]] = []
    together = defaultdict(list)
    for event in events:
        name = None if measure.sessions == "gap" else event.get("session")
        if name is None and measure.sessions == "id":
            continue
        if measure.activity == "all" or event["type"] != "impression":
            together[event["user"], name].append(event)
    for (_, name), own in together.items():
        current: list[Event] = []
        for event in own:
            new = current and (
                (name is None and event["time"] - current[-1]["time"] >= measure.gap * 60)
                or (measure.max_length is not None and event["time"] - current[0]["time"] >= measure.max_length * 3600)
            )
            if new:
                made.append(current)
                current = []
            current.append(event)
        made.append(current)
    return made


def parts(measure: Any, events: list[Event], has_request: bool = True) -> dict[Any, tuple[float, float]]:  # noqa: C901, PLR0912, PLR0915 (the same)
    """For each user what is added above and below the line."""
    events = cleaned(events)
    users = {event["user"] for event in events}
    x, y = dict.fromkeys(users, 0.0), dict.fromkeys(users, 0.0)
    name = type(measure).name
    bought = [event for event in events if event["type"] == "conversion"]
    refunds = [event for event in events if event["type"] == "refund" and name == "Value" and measure.refunds == "keep"]
    if name == "CTR":
        shown, clicked = exposures(events, measure.impressions, measure.clicks, measure.orphans, has_request)
        if measure.cutoff is not None:
            shown, clicked = (
                [e for e in some if 1 <= (e["position"] or 0) <= measure.cutoff] for some in (shown, clicked)
            )
        if measure.per == "request":
            with_click = {(e["user"], e["request"]) for e in clicked if e["request"] is not None}
            for request in {(e["user"], e["request"]) for e in shown if e["request"] is not None}:
                y[request[0]] += 1
                x[request[0]] += request in with_click
        else:
            for event in clicked:
                x[event["user"]] += 1
            for event in shown:
                y[event["user"]] += 1
            if measure.per == "user":
                x = {u: x[u] / y[u] if y[u] else 0.0 for u in users}
                y = {u: float(y[u] > 0) for u in users}
            if measure.per == "reach":
                x = {u: float(x[u] > 0 and y[u] > 0) for u in users}
                y = {u: float(y[u] > 0) for u in users}
    elif name == "CVR" and measure.per == "click":
        _, clicked = exposures(events, "once", measure.clicks, measure.orphans, has_request)
        credit = [0.0] * len(clicked)
        for sale in bought:
            able = [
                place
                for place, click in enumerate(clicked)
                if click["user"] == sale["user"]
                and click["time"] <= sale["time"]
                and (measure.window is None or sale["time"] - click["time"] <= measure.window * 3600)
                and (measure.item == "any" or (click["item"] is not None and click["item"] == sale["item"]))
            ]
            if able:
                able = {"last": able[-1:], "first": able[:1]}.get(measure.credit, able)
                for place in able:
                    credit[place] += 1 / len(able) if measure.credit == "even" else 1
        last = max((event["time"] for event in events), default=0)
        for click, given in zip(clicked, credit, strict=True):
            if measure.maturity == "mature" and click["time"] > last - measure.window * 3600:
                continue
            y[click["user"]] += 1
            x[click["user"]] += given if measure.count == "conversions" else float(given > 0)
    elif name == "CVR" and measure.per == "user":
        for event in bought:
            x[event["user"]] = 1.0
        y = dict.fromkeys(users, 1.0)
    elif name in ("CVR", "SessionDuration", "EngagedSessions"):
        for session in sessions(events, measure):
            user, length = session[0]["user"], session[-1]["time"] - session[0]["time"]
            has_sale = any(event["type"] == "conversion" for event in session)
            if name == "CVR":
                x[user], y[user] = x[user] + has_sale, y[user] + 1
            elif name == "EngagedSessions":
                requests = {e["request"] for e in session if e["type"] in ("impression", "click")} - {None}
                x[user] += length > measure.seconds or has_sale or len(requests) >= measure.views
                y[user] += 1
            elif measure.zeros == "keep" or length > 0:
                x[user] += length if measure.cap is None else min(length, measure.cap)
                y[user] += 1
        if getattr(measure, "per", "") == "user":
            x = {u: x[u] / y[u] if y[u] else 0.0 for u in users}
            y = {u: float(y[u] > 0) for u in users}
    else:
        for event in [*bought, *refunds]:
            amount = 1.0
            if name == "Value":
                amount = event["value"] or 0.0
                amount = amount if measure.cap is None else min(amount, measure.cap)
            x[event["user"]] += amount
        if measure.per == "user":
            y = dict.fromkeys(users, 1.0)
        elif measure.per == "session":
            for session in sessions(events, measure):
                y[session[0]["user"]] += 1
        elif measure.per == "conversion":
            for event in bought:
                y[event["user"]] += 1
        else:
            for event in exposures(events, measure.impressions, "once", "drop", has_request)[0]:
                y[event["user"]] += 1
    return {user: (x[user], y[user]) for user in users}


def value_and_variance(pairs: list[tuple[float, float]]) -> tuple[float, float]:
    """The quotient of totals and its variance by the delta method, written out."""
    n = len(pairs)
    total_x, total_y = math.fsum(x for x, _ in pairs), math.fsum(y for _, y in pairs)
    if not total_y:
        return math.nan, math.nan
    ratio = total_x / total_y
    if n < 2:
        return ratio, math.nan
    residuals = [x - ratio * y for x, y in pairs]
    mean = math.fsum(residuals) / n
    return ratio, math.fsum((r - mean) ** 2 for r in residuals) / (n - 1) / n / (total_y / n) ** 2

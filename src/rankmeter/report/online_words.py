"""The words of the report about users, in English and in Chinese; both languages have the same keys."""

from __future__ import annotations

import re

from rankmeter.measures.prose import Language

WORDS: dict[Language, dict[str, str]] = {
    "en": {
        "title": "What users did", "differences": "Differences to {control}", "measure": "measure",
        "variant": "variant", "difference": "difference", "relative": "relative", "p": "p, {correction}",
        "peek": "if you peek", "least": "least detectable", "verdict": "verdict",
        "intervals": "Intervals are at {level}, by {unit}; “if you peek” holds at every look at once.",
        "values": "Values", "all": "all", "units": "{unit}s", "pictures": "Pictures", "by": "By {segment}",
        "exploration": "An exploration: corrected for all its looks together, and no substitute for a decision made "
        "beforehand.",
        "odd": "What was odd in the log", "finding": "finding", "count": "count", "share": "share",
        "rule": "what was done", "definitions": "Definitions", "no data": "no data",
        "made": "Made by rankmeter {version}. A number without its definition is a bug.",
        "forest": "Relative differences",
        "forest_text": "Each bar is the interval of the relative difference to the control.",
        "forest_axis": "relative to {control}",
        "funnel": "Funnel", "funnel_text": "How many users reached each step.", "users": "users",
        "all users": "all users", "saw": "saw something", "clicked": "clicked", "converted": "converted",
        "positions": "CTR by position", "positions_text": "With intervals by the delta method over users.",
        "position": "position",
        "lengths": "Session lengths", "lengths_text": "How many sessions lasted how long.", "sessions": "sessions",
        "over": "over {span}", "to": "to {span}", "user": "user", "session": "session", "request": "request",
        "better": "better", "worse": "worse", "cannot tell": "cannot tell",
    },
    "zh": {
        "title": "用户行为", "differences": "与 {control} 的差异", "measure": "指标",
        "variant": "实验组", "difference": "差值", "relative": "相对差值", "p": "p 值（{correction}）",
        "peek": "中途查看时的区间", "least": "最小可检出差值", "verdict": "结论",
        "intervals": "区间水平为 {level}，以{unit}为单位；“中途查看时的区间”在任何一次查看时都成立。",
        "values": "取值", "all": "全部", "units": "{unit}数", "pictures": "图", "by": "按 {segment}",
        "exploration": "这是探索：对所有查看一并校正，不能代替事先做出的决定。",
        "odd": "日志中的异常", "finding": "发现", "count": "数量", "share": "占比",
        "rule": "处理方式", "definitions": "定义", "no data": "无数据",
        "made": "由 rankmeter {version} 生成。没有定义的数字就是错误。",
        "forest": "相对差值", "forest_text": "每条线是与对照组相对差值的区间。", "forest_axis": "相对于 {control}",
        "funnel": "漏斗", "funnel_text": "到达每一步的用户数。", "users": "用户",
        "all users": "全部用户", "saw": "有曝光", "clicked": "有点击", "converted": "有转化",
        "positions": "各位置的点击率", "positions_text": "区间由用户层面的 delta 方法给出。", "position": "位置",
        "lengths": "会话时长", "lengths_text": "各时长的会话数。", "sessions": "会话",
        "over": "超过 {span}", "to": "至 {span}", "user": "用户", "session": "会话", "request": "请求",
        "better": "更好", "worse": "更差", "cannot tell": "无法判断",
    },
}  # fmt: skip

_FINDINGS = {
    "events without user": ("没有用户的事件", "舍去"),
    "events without readable time": ("时间无法读取的事件", "舍去"),
    "duplicates": ("重复事件", "编号相同，或各项都相同的转化：保留第一个"),
    "repeated impressions": ("重复曝光", "同一请求中再次展示的条目：只计一次，除非 impressions=all"),
    "repeated clicks": ("重复点击", "同一请求中再次点击的条目：只计一次，除非 clicks=all"),
    "orphan clicks": ("无曝光的点击", "没有记录其曝光：舍去，除非 orphans=keep"),
    "clicks before their impression": ("早于曝光的点击", "时钟不一致：照常计入"),
    "out of order": ("乱序事件", "计数前按时间排序"),
    "events of unknown type": ("未知类型的事件", "只作为会话中的活动"),
    "suspected bots": ("疑似机器人", "一小时内活动过多的用户"),
    "events of suspected bots": ("疑似机器人的事件", "与其用户一同处理"),
    "impressions without position": ("没有位置的曝光", "计入 CTR，不计入 CTR@k 和各位置的 CTR"),
    "negative values": ("负的金额", "视为退款并扣减，除非 refunds=drop"),
    "conversions without a click to credit": ("找不到可归因点击的转化", "计入人均转化，不计入按点击的 CVR"),
    "clicks younger than the window": ("未满归因窗口的点击", "转化时间较短：照常计入，除非 maturity=mature"),
    "sessions of one event": ("只有一个事件的会话", "时长为 0 秒：保留，除非 zeros=drop"),
    "sessions of no length": ("时长为零的会话", "时长为 0 秒：保留，除非 zeros=drop"),
    "sessions cut at the maximum length": ("达到最大时长而被切断的会话", "其后作为新会话"),
    "units in several variants": ("出现在多个实验组的单位", "按所选规则处理（crossed）"),
    "units without variant": ("没有实验组的单位", "不计入任何实验组"),
    "units in several segments": ("出现在多个分段的单位", "计入其第一个事件的分段"),
    "units without segment": ("没有分段的单位", "不计入任何分段"),
    "events before the start": ("实验开始前的事件", "只用作用户此前的行为"),
}
"""Name and rule of each finding in Chinese."""

_SENTENCES = (
    (r"sample ratio as meant: (.*) \(p = (.*)\)", r"样本比例符合设计：\1（p = \2）"),
    (r"SAMPLE RATIO MISMATCH: (.*) \(p = ([^)]*)\)\..*", r"样本比例不符：\1（p = \2）。查明原因之前，以下差异均不可信"),
    (
        (r"([\d,]+) events of ([\d,]+) users: ([\d,]+) impressions, ([\d,]+) clicks, ([\d,]+) conversions, "
        r"([\d,]+) sessions \((.*) of no length, (.*) engaged\)"),
        (r"\2 名用户的 \1 个事件：\3 次曝光，\4 次点击，\5 次转化，\6 个会话"
        r"（\7 时长为零，\8 为参与会话）"),
    ),
    (r"times have no time zone and are taken as UTC", "时间没有时区，视为 UTC"),
    (r"times without a time zone are taken as UTC", "没有时区的时间视为 UTC"),
    (r"times are whole days, taken as midnight UTC", "时间只有日期，视为 UTC 零点"),
    (r"times are numbers, taken as (\w+) since 1970 by their size", r"时间是数字，按大小视为自 1970 年起的 \1"),
    (r"the layout is that of (.*)", r"布局为 \1"),
    (r"from (.*) to (.*) UTC", r"从 \1 到 \2（UTC）"),
    (r"positions begin at 0 in the log; position 1 is its 0", "日志中的位置从 0 开始；这里的位置 1 是其 0"),
    (r"there is no request: .*", "没有请求编号：时刻不同的曝光或点击各计一次"),
    (r"there is no session id: sessions are cut by pauses", "没有会话编号：按停顿切分会话"),
    (r"variant (.*): (.*) and conversions per user move in opposite directions\..*",
     r"实验组 \1：\2 与人均转化方向相反。点击发生在被测改动之后，应以人均转化为准"),
    (r"differences are adjusted by what the same users did before the start \(CUPED\)",
     "差值已按同一批用户在开始前的行为调整（CUPED）"),
)  # fmt: skip


def finding_in(name: str, rule: str, lang: Language) -> tuple[str, str]:
    """The name and the rule of a finding; words of the log that the rule quotes are kept."""
    if lang == "en" or name not in _FINDINGS:
        return name, rule
    quoted = re.search(r"\('.*\)$", rule)
    named, done = _FINDINGS[name]
    return named, done + (f"（{quoted.group()[1:-1]}）" if quoted else "")


def sentence_in(text: str, lang: Language) -> str:
    """A sentence about the log or the experiment."""
    if lang == "zh":
        for pattern, made in _SENTENCES:
            if re.fullmatch(pattern, text):
                return re.sub(pattern, made, text)
    return text

"""The words of the report in English and in Chinese; both languages have the same keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmeter.measures.prose import Language

if TYPE_CHECKING:
    from rankmeter.comparing.records import Settings

WORDS: dict[Language, dict[str, str]] = {
    "en": {
        "report": "Ranking report", "systems": "systems", "measures": "measures", "queries": "queries",
        "against": "differences are against", "measure": "Measure", "system": "system", "reference": "reference",
        "leaderboard": "Leaderboard", "best_group": "cannot be separated from the best",
        "value": "value", "interval": "interval", "rank": "rank", "difference": "difference", "p": "p",
        "outcome": "better / same / worse", "beats": "beats", "baseline": "baseline",
        "sort_hint": "Click a heading to sort.",
        "quality": "How sure is the data?", "missing": "missing", "judged": "judged", "ties_across": "ties across",
        "quality_bounds": "a .. b: the value if none, or all, of the unjudged items within the cutoff were relevant. "
        "~: the denominator moves too, so these are two scenarios, not bounds.",
        "by_query": "Query by query", "bars": "Difference to the reference, one bar per query",
        "points": "Both values of each query", "click_hint": "Click a bar or a point to see the query.",
        "thinned": "Shown are {shown} of {all} queries, evenly spaced over the sorted differences.",
        "table": "Queries worth a look", "most_changed": "most changed", "worst": "worst", "text": "text",
        "spread": "spread", "query": "query", "search": "find a query",
        "table_hint": "Most changed: the largest spread between systems. Worst: the lowest mean over systems.",
        "detail": "One query", "choose": "Choose a query above.", "lists": "Ranked lists side by side",
        "grade": "grade", "unjudged": "unjudged", "new": "new", "relevant_items": "relevant items",
        "no_lists": "The lists of this query are not in the report.", "no_values": "Only these values are kept.",
        "moves": "▲ ▼ places gained or lost against the reference; hover over an item to find it in all lists.",
        "curves": "Value at each cutoff", "bands": "Bands: {level} of a normal approximation over queries.",
        "distributions": "Distribution over queries", "value_of_query": "value of a query",
        "share_of_queries": "share of queries with at most this value",
        "correlation": "Do the measures agree?",
        "correlation_hint": "Spearman's correlation over the queries of a system, averaged over systems.",
        "similarity": "How alike are the lists?",
        "similarity_hint": "Rank-biased overlap (RBO, p = 0.9, first 50 items), mean over {count} queries.",
        "trade_off": "Trade-off", "first_measure": "first measure", "second_measure": "second measure",
        "trade_off_hint": "Diamonds: no other system is better under one measure without being worse under the other.",
        "slices": "Slices of the queries", "slices_hint": "Means over the queries of a slice; none is tested.",
        "definitions": "What each number means", "formula": "Formula", "conventions": "Conventions",
        "misleads": "How it misleads", "provenance": "Where the numbers come from", "input": "input", "file": "source",
        "hash": "SHA-256", "in_memory": "in memory", "versions": "Versions", "seed": "seed",
        "low": "low", "high": "high", "no_difference": "same everywhere",
        "not_placed": "Made from saved evaluations: there are no lists to show.", "of": "of", "notes": "Notes",
        "noscript": "Charts and the drill-down need JavaScript; the tables do not.",
    },
    "zh": {
        "report": "排序评测报告", "systems": "个系统", "measures": "个指标", "queries": "个查询",
        "against": "差值的参照系统", "measure": "指标", "system": "系统", "reference": "参照",
        "leaderboard": "排行榜", "best_group": "与最优系统无法区分",
        "value": "取值", "interval": "区间", "rank": "名次", "difference": "差值", "p": "p 值",
        "outcome": "更好 / 相同 / 更差", "beats": "优于", "baseline": "基线",
        "sort_hint": "点击表头排序。",
        "quality": "数据有多可靠？", "missing": "缺失", "judged": "已判", "ties_across": "跨截断并列",
        "quality_bounds": "a .. b：截断内未判条目全部不相关或全部相关时的取值。"
        "~：分母也随之变化，因此是两种情形而非上下界。",
        "by_query": "逐个查询", "bars": "与参照的差值，每个查询一根柱", "points": "每个查询的两个取值",
        "click_hint": "点击柱或点查看该查询。",
        "thinned": "显示 {all} 个查询中的 {shown} 个，在排序后的差值上等距选取。",
        "table": "值得查看的查询", "most_changed": "变化最大", "worst": "最差", "text": "文本",
        "spread": "极差", "query": "查询", "search": "查找查询",
        "table_hint": "变化最大：系统间极差最大。最差：各系统平均值最低。",
        "detail": "单个查询", "choose": "请在上方选择一个查询。", "lists": "排序列表并列对照",
        "grade": "等级", "unjudged": "未判", "new": "新", "relevant_items": "个相关条目",
        "no_lists": "报告未保存该查询的列表。", "no_values": "仅保存了这些取值。",
        "moves": "▲ ▼ 相对参照上升或下降的位数；将指针移到条目上，可在所有列表中找到它。",
        "curves": "各截断处的取值", "bands": "色带：对查询作正态近似的 {level} 区间。",
        "distributions": "查询上的分布", "value_of_query": "单个查询的取值",
        "share_of_queries": "不超过该取值的查询占比",
        "correlation": "各指标是否一致？", "correlation_hint": "每个系统各查询上的斯皮尔曼相关，对系统取平均。",
        "similarity": "列表有多相似？",
        "similarity_hint": "秩偏重叠（RBO，p = 0.9，前 50 个条目），{count} 个查询的平均。",
        "trade_off": "权衡", "first_measure": "第一指标", "second_measure": "第二指标",
        "trade_off_hint": "菱形：没有其他系统能在一个指标上更好而在另一个指标上不更差。",
        "slices": "查询的切片", "slices_hint": "各切片内查询的平均；未对其作检验。",
        "definitions": "每个数字的含义", "formula": "公式", "conventions": "约定",
        "misleads": "如何误导", "provenance": "数字从何而来", "input": "输入", "file": "来源",
        "hash": "SHA-256", "in_memory": "内存", "versions": "版本", "seed": "随机种子",
        "low": "下端", "high": "上端", "no_difference": "处处相同",
        "not_placed": "由保存的评测结果生成：没有列表可显示。", "of": "/", "notes": "说明",
        "noscript": "图表与下钻需要 JavaScript；表格不需要。",
    },
}  # fmt: skip

_TESTS = {"randomisation": "随机化检验", "t": "t 检验", "wilcoxon": "Wilcoxon 符号秩检验", "sign": "符号检验"}
_CORRECTIONS = {"holm": "Holm", "hochberg": "Hochberg", "bonferroni": "Bonferroni", "bh": "Benjamini-Hochberg",
                "by": "Benjamini-Yekutieli", "none": "无"}  # fmt: skip
_UNITS = {"query": "查询", "run": "运行"}


def settings_sentences(settings: Settings, language: Language) -> list[str]:
    """How p-values and intervals were made, in one language."""
    if language == "en":
        return settings.sentences()
    unit = _UNITS.get(settings.unit, settings.unit)
    drawn = f"，{settings.permutations:,} 次置换" if settings.test == "randomisation" else ""
    family = "每个系统对基线" if settings.family == "baseline" else "所有系统对"
    tested = f"p 值：按{unit}配对的{_TESTS[settings.test]}{drawn}，双侧"
    drawn_again = f"按{unit}重抽样 {settings.resamples:,} 次，各自独立"
    return [
        f"{tested}；每个指标内校正（{family}：{settings.pairs} 次检验），方法：{_CORRECTIONS[settings.correction]}",
        f"区间：{settings.level:.0%} 自助法（{settings.interval}），{drawn_again}",
        f"最优组与名次区间：对同一指标的所有系统同时有 {settings.level:.0%} 的把握（与最优者的多重比较，野自助法）",
        f"随机种子 {settings.seed}，rankmeter {settings.version}",
    ]

"""Chinese names of columns, of events and of measures: one list, which readers, hints and pages share.

Names that mean two things are left out, so that they are asked for: 打分 may be a grade or a score, 浏览 an
impression or a visit of a page, 支付 the second step of an order that was counted at 下单.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_IDENTIFIED = ("", "id", "编号", "标识")


def _as_ids(words: str) -> tuple[str, ...]:
    """Each word alone and as an id: 用户, 用户id, 用户编号."""
    return tuple(word + ending for ending in _IDENTIFIED for word in words.split())


_USER = _as_ids("用户 顾客 客户 会员 访客")
_SESSION = _as_ids("会话")
_REQUEST = _as_ids("请求")
_ITEM = _as_ids("条目 物品 文档 商品 产品 项目 内容 文章 新闻 视频 电影 歌曲 书籍 图书 段落 候选 帖子 笔记")

COLUMNS: Mapping[str, tuple[str, ...]] = MappingProxyType({
    "query": (*_as_ids("查询 检索 主题 问题"), "查询词", "检索词", "搜索词", *_USER, *_SESSION, *_REQUEST),
    "item": _ITEM,
    "score": (
        *"得分 分数 分值 预测 预测值 预测分 预测分数 预测得分 预测评分 模型得分".split(),
        *"模型分数 相似度 概率 排序分".split(),
    ),
    "rank": tuple("排名 名次 位次 位置 排位".split()),
    "distance": (),
    "subtopic": tuple("子主题 方面 意图".split()),
    "grade": tuple("等级 相关性 相关度 相关等级 相关性等级 相关性标注 标注 标签 评分 评级 星级 真实标签".split()),
})  # fmt: skip
"""Columns of judgments and runs, by role."""

BESIDE = frozenset("年 月 日 年份 月份 小时 序号 行号 索引 折".split())
"""Numbers that are neither grade nor score."""

AGAINST = frozenset("错误 失败 超时 无效 已删除 删除 已忽略 忽略 已排除 排除 已跳过 跳过 作废".split())
"""Columns that say, where they are set, that a row does not count."""

FOR = frozenset("有效 是否有效 成功 是否成功".split())
"""Columns that say so where they are not set."""

DIVIDES = frozenset("系统 模型 方法 算法 划分 数据集划分 标注员 标注人 评审 评审员 实验".split())
"""Columns that say whose row it is."""

USERS = frozenset(_USER)

EVENT_COLUMNS: Mapping[str, tuple[str, ...]] = MappingProxyType({
    "time": tuple("时间 时间戳 事件时间 发生时间 日期时间 创建时间 服务器时间".split()),
    "user": (*_USER, "设备id", "匿名id"),
    "type": tuple("类型 事件 事件类型 事件名 事件名称 行为 行为类型 动作 操作".split()),
    "session": (*_SESSION, "访问id"),
    "request": (*_REQUEST, "查询id", "搜索id"),
    "query": tuple("查询 查询词 搜索词 检索词 关键词".split()),
    "item": _ITEM,
    "position": tuple("位置 名次 位次 排名 坑位".split()),
    "value": tuple("价值 金额 收入 订单金额 成交额 销售额".split()),
    "variant": tuple("变体 实验组 实验分组 分组 组别".split()),
    "segment": tuple("人群 分群 用户分群".split()),
    "id": tuple("事件id 事件编号 日志id".split()),
})  # fmt: skip
"""Columns of logs, by role."""

TIMES = (*EVENT_COLUMNS["time"], "日期")
"""Columns that say when, in any table."""

TYPES: Mapping[str, tuple[str, ...]] = MappingProxyType({
    "impression": tuple("曝光 展示 展现".split()),
    "click": tuple("点击 点选 点开".split()),
    "conversion": tuple("转化 购买 下单 成交".split()),
})  # fmt: skip
"""The words of logs, by kind of event."""

CLICK_FLAGS = frozenset("点击 是否点击 点击与否".split())
"""What a column is called that says of each row whether it was clicked."""

CONVERSION_FLAGS = frozenset("转化 是否转化 购买 是否购买 下单 是否下单 成交 是否成交".split())
"""What a column is called that says of each row whether it led to a conversion."""

MEASURES: Mapping[str, str] = MappingProxyType({
    "命中率": "Success",
    "准确率": "P",
    "精确率": "P",
    "精准率": "P",
    "查准率": "P",
    "召回率": "R",
    "查全率": "R",
    "F值": "F",
    "F1值": "F",
    "平均精度": "AP",
    "平均准确率": "AP",
    "平均精度均值": "AP",
    "平均准确率均值": "AP",
    "倒数排名": "RR",
    "平均倒数排名": "RR",
    "折损累计增益": "DCG",
    "折损累积增益": "DCG",
    "归一化折损累计增益": "nDCG",
    "归一化折损累积增益": "nDCG",
    "覆盖率": "Coverage",
    "多样性": "ILD",
    "新颖性": "Novelty",
    "基尼系数": "Gini",
    "点击率": "CTR",
    "转化率": "CVR",
    "转化数": "Conversions",
})  # fmt: skip
"""Names of measures, with what each is here."""

FULL_WIDTH = str.maketrans("＠（）＝，、", "@()=,,")
"""The marks between the parts of a measure as a Chinese keyboard writes them."""

"""Words that two statements may choose between freely, and words that tell two cases of one thing apart."""

from __future__ import annotations

import re

from ragheal.text.analyze import stem, terms

# What a question says of the value it wants, not of the thing.
NO_SUBJECT = re.compile(
    r"get|need|take|much|mani|often|name|year|day|month|date|amount|number|valu|current|have|mean"
    r"|length|high|wide|deep|old"
    r"|.*[哪几何].*|.*多少.*|多[久长高大重远]|一?[年天月日]|时间|期限|时候|数量|名字|应该|一共"
)
# Words of one meaning that questions and documents choose between.
ALIKE = {
    stem(word): line.split()[0]
    for line in """
    found founded founding establish established create created 成立 创立 创办 设立 创建
    build built construct constructed erect erected 建成 建造 修建 建于 建
    weigh weight heavy mass 重 重量 体重
    cost price fee charge expensive 价格 费用 价钱 售价
    employ employee staff employs worker people 员工 职工 人
    high height tall 高 高度
    length long duration last 长 长度 时长
    wide width broad 宽 宽度
    deep depth 深 深度
    old age 年龄 岁
    salary earn wage pay 工资 薪水 薪资 月薪
    start begin open opening 开始 开门 开放 营业
    close end shut closing 结束 关门 打烊
    write wrote written author 作者 撰写 编写
    lead head manager leader 负责人 负责 领导
    capacity hold seat 容量 容纳
    warranty guarantee 保修期 质保期 保修 质保
    """.strip().splitlines()
    for word in line.split()
}


def alike(text: str) -> frozenset[str]:
    """The terms of a text, one for each meaning."""
    return frozenset(ALIKE.get(term, term) for term in terms(text))


FILLER = frozenset(
    map(
        stem,
        """
        come get give make amount total current valid start begin take last run cost price set offer provide
        receive entitle allow require need exact alway stand lie
        hold contain equal say state fix remain apply use found
        establish open close charge pay grant value figure rule document
        """.split(),
    )
) | frozenset(
    "收取 支付 共 共有 设 设有 规定 提供 享有 收 付 价格 费用 目前 现在 总共 一共 合计 达 达到 约 大约 必须 规则 "
    "均 一律 成立 建立 创办 建成".split()
)
# Words that tell two cases of one thing apart: a statement that holds one speaks of a part.
_CONTRASTS = tuple(
    frozenset(stem(word) for word in line.split())
    for line in """
    weekday workday 工作日 平日
    weekend saturday sunday holiday 周末 节假日 假日
    adult 成人
    child children kid student pupil senior pensioner 儿童 学生 老人 老年人
    group party family team 团体 家庭
    minimum lowest 最低 最小
    maximum highest peak 最高 最大
    domestic national local inland 国内 本地
    international foreign abroad overseas 国际 国外 海外
    basic standard regular normal free starter 基础 标准 普通 免费
    premium pro professional plus business enterprise gold deluxe 高级 专业 企业 尊享
    silver bronze
    summer 夏季 夏天
    winter 冬季 冬天
    day daytime 白天
    night nightly 夜间 晚上
    north northern 北
    south southern 南
    east eastern 东
    west western 西
    left 左
    right 右
    internal 内部
    external 外部
    full-time 全职
    part-time 兼职
    single 单人
    double twin 双人
    gross 含税
    net 不含税
    member 会员
    non-member guest visitor 非会员 访客
    new 新
    used 二手
    first initial 首次 第一次
    repeat second 第二次
    production 生产
    test staging 测试
    linux
    windows
    macos mac ios
    android
    annual yearly 每年 年度
    monthly 每月 月度
    weekly 每周
    daily 每天 每日
    """.strip().splitlines()
)


def sides(words: frozenset[str]) -> frozenset[int]:
    """The cases that the words of a text name, as numbers."""
    return frozenset(number for number, side in enumerate(_CONTRASTS) if words & side)

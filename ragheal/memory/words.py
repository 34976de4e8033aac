"""Words of asking that stand for each other, and words that only frame a question, in both languages.

General words alone: what a corpus calls its own things is never taken to be the same as something else.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ragheal.text.analyze import terms

_SAME_EN = """
    price cost charge fee; need require necessary must; kind type sort; place location spot;
    located situated; keep kept store retain; weigh weight heavy; long length last; tall height high; wide width;
    deep depth; big large size; often frequency frequently; start begin began begun; stop end finish;
    obtain get receive; fix repair; allow permit; delete remove; create make made build built; change modify alter;
    happen occur; choose chosen select pick; reason cause why; purpose aim goal; job occupation profession;
    main principal core primary chief; effect impact affect influence; way method manner how;
    founded establish; call name; country nation; quantity amount; employ use; wrote author write written;
    picture image; show display; help assist; broken broke break; arrive come came reach; restriction limit;
    lead led head; apply use; exceed above over; person people; biggest largest; important significant;
    usually typically; die death; born birth; send sent;
    hold held; pay paid; sell sold; buy bought; take taken took; give given gave; go went gone; run ran;
    grow grew grown; drive drove driven; leave left; lose lost; win won; teach taught; think thought;
    bring brought; meet met; rise rose risen
"""
_SAME_ZH = """
    重 重量 多重 重多少; 大 大小 多大; 长 长度 多长; 高 高度 多高; 价格 价钱 单价 售价 多少钱;
    名字 名称 叫 称为; 负责人 主管 领导; 需要 须要 需 必须; 位于 坐落 地处; 建立 创立 创建 创办 成立 设立;
    使用 采用 用; 包括 包含 含有 含; 导致 造成 引起; 目的 目标 用意; 作用 功能; 特点 特色; 大约 大概 约;
    总共 一共 共 共有; 担任 出任; 去世 过世 逝世; 出生 诞生; 原因 缘故 理由; 方法 办法 方式; 允许 可以 能;
    开始 起; 结束 终止; 修改 更改 变更; 删除 移除; 发生 出现; 哪种 种 种类 类型 样; 准备 备; 处理 处置;
    影响 作用; 联系 联络; 地点 地方
"""
_FRAME = """
    know tell ask question find information explain describe wonder idea quick like help understand look
    知道 了解 想 介绍 一下 麻烦 能不能 谢谢 一般 的话 情况 时候 时 后 以后 之后 那里 那个 这个 哪个 哪一
    一个 其 受到 受 应该 应 会 怎样 样 有 哪年 何年 哪里 哪儿 何处 哪一个 哪一年 一年 年 名 位 如果
"""

_EMPTY_CHARS = frozenset(
    "的了着过地得之其是在有和与及或而且并但也都就又还再才只很更最我你您他她它这那此该各每吗呢吧啊呀么嘛把被让给向往从由以于对为因所"
    "如果则若什谁哪何怎样多少几请问告诉会能可应要需将不没无上下中里内外时候等一个种些受到后想知道介绍造成"
)


@lru_cache(maxsize=1)
def _classes() -> dict[str, str]:
    found: dict[str, str] = {}
    for group in (_SAME_EN + ";" + _SAME_ZH).split(";"):
        words = [word for word in group.split() if word]
        members = [term for word in words for term in (*terms(word), word)]
        for member in members:
            found.setdefault(member, members[0])
    return found


@lru_cache(maxsize=1)
def _frames() -> frozenset[str]:
    words = _FRAME.split()
    return frozenset(words) | frozenset(term for word in words for term in terms(word))


def meaningful(words: frozenset[str]) -> frozenset[str]:
    """Terms without those of the frame, each class of equals as its first word."""
    classes = _classes()
    return frozenset(classes.get(word, word) for word in words if word not in _frames())


def meaningful_chars(simplified: str) -> frozenset[str]:
    """The Han characters of a simplified text that carry sense, and its runs of Latin letters and digits."""
    found = re.findall(r"[\u4e00-\u9fff]|[a-z0-9.%-]+", simplified.lower())
    return frozenset(char for char in found if char not in _EMPTY_CHARS)

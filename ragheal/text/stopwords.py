"""Words that carry no subject: function words and the question words that say what kind of answer is wanted."""

from __future__ import annotations

STOP_EN = frozenset(
    """
    a an the this that these those some any each every either neither both all such
    i me my mine we us our ours you your yours he him his she her hers it its they them their theirs
    who whom whose which what when where why how whether
    am is are was were be been being do does did doing done have has had having
    can could may might must shall should will would ought
    and or but nor so if then else than as of at by for from in into on onto out over per to up upon with
    within without about above after again against along among around before behind below between beyond
    down during off through toward towards under until via
    not no yes there here just only also too very more most much many
    s t d ll m re ve don doesn didn isn aren wasn weren hasn haven hadn won wouldn couldn shouldn
    please tell give let
    """.split()
)

STOP_ZH = frozenset(
    """
    的 了 着 过 地 得 之 其 是 在 有 和 与 及 或 而 且 并 但 也 都 就 又 还 再 才 只 很 更 最 太
    我 你 您 他 她 它 我们 你们 他们 她们 它们 自己 这 那 这个 那个 这些 那些 这里 那里 此 该 各 每
    吗 呢 吧 啊 呀 么 嘛 把 被 让 给 向 往 从 自 由 以 于 对 对于 关于 为 为了 因 因为 所以 如果 则 若
    什么 什麼 谁 哪 哪个 哪些 哪里 哪儿 哪一 何 何时 何地 为何 为什么 怎么 怎样 如何 多少 几 是否 请问 请 告诉
    会 能 可以 可 应 应该 要 需要 将 不 没 没有 无 上 下 中 里 内 外 时 时候 等 等等 一个 一种 个 种 些
    """.split()
)

"""Units of measure in English and Chinese: which spellings are one unit, and how units of a kind convert.

A table, not a physics library: what stands next to a number in documents and answers. Each line is a
dimension (several where a sign is ambiguous, such as "$"), the factor to the dimension's base (one for each
dimension where they differ), and the spellings.
"""

from __future__ import annotations

import re
from functools import lru_cache

_TABLE = """
s         0.000001   | microsecond microseconds µs μs 微秒
s         0.001      | millisecond milliseconds msec ms 毫秒
s         1          | second seconds sec secs s 秒 秒钟
s         60         | minute minutes min mins 分钟
s         3600       | hour hours hr hrs h 小时 个小时 钟头 个钟头
s         86400      | day days d 天 日
s         604800     | week weeks wk wks 周 星期 个星期 礼拜 个礼拜
workday   1          | business-day business-days working-day working-days workday workdays 工作日 个工作日
night     1          | night nights 晚 夜
month     1          | month months 个月 月
month     12         | year years yr yrs 年 周年 岁 year-old years-old
month     120        | decade decades
m         0.001      | mm millimetre millimetres millimeter millimeters 毫米
m         0.01       | cm centimetre centimetres centimeter centimeters 厘米 公分
m         1          | m metre metres meter meters 米 公尺
m         1000       | km kilometre kilometres kilometer kilometers 公里 千米
m         1609.344   | mile miles 英里
m         1852       | 海里
m         0.3048     | ft foot feet 英尺
m         0.0254     | inch inches 英寸
m         0.9144     | yard yards 码
g         0.001      | mg milligram milligrams 毫克
g         1          | g gram grams 克
g         500        | 斤
g         1000       | kg kilogram kilograms 公斤 千克
g         1000000    | ton tons tonne tonnes t 吨 公吨
g,gbp     453.59237,1 | pound pounds
g         453.59237  | lb lbs 磅
m2        1          | m² m2 sqm 平方米 平米
m2        10000      | hectare hectares ha 公顷
m2        4046.8564  | acre acres 英亩
m2        1000000    | km² km2 平方公里 平方千米
mu        1          | 亩
l         0.001      | ml millilitre millilitres milliliter milliliters 毫升
l         1          | l litre litres liter liters 升 公升
l         1000       | m³ m3 立方米
l         3.7854118  | gallon gallons 加仑
°c,°      1          | °c ℃ celsius 摄氏度 degrees-celsius
°f,°      1          | °f ℉ fahrenheit 华氏度 degrees-fahrenheit
°,°c,°f   1          | degree degrees ° 度
k         1          | kelvin
B         0.125      | bit bits 比特
B         1          | byte bytes 字节
B         1000       | kb
B         1000000    | mb 兆
B         1000000000 | gb
B         1e12       | tb
B         1024       | kib
B         1048576    | mib
B         1073741824 | gib
B/s       1000000    | mb/s mbps
B/s       1000       | kb/s kbps
B/s       1000000000 | gb/s gbps
v         1          | v volt volts 伏 伏特
v         1000       | kv
v         0.001      | mv
w         1          | w watt watts 瓦 瓦特
w         1000       | kw 千瓦
w         1000000    | mw 兆瓦
wh        1000       | kwh 千瓦时
ah        0.001      | mah 毫安时
a         1          | a amp amps ampere amperes 安 安培
hz        1          | hz hertz 赫兹
hz        1000       | khz
hz        1000000    | mhz
hz        1000000000 | ghz
m/s       0.2777778  | km/h kph
mph       1          | mph
rps       1          | qps rps
rpm       1          | rpm
pa        1          | pa
pa        1000       | kpa
pa        100000     | bar
%         1          | % percent per-cent ％ percentage-point percentage-points 个百分点
usd,hkd,twd,aud,cad,sgd 1 | $ dollar dollars
usd       1          | us$ usd 美元 美金
hkd       1          | hk$ hkd 港元 港币
twd       1          | nt$ twd 新台币 台币
cny       1          | cny rmb yuan 人民币
cny,hkd,twd 1        | 元 块 块钱
cny,jpy   1          | ¥
jpy       1          | jpy yen 日元 日圆
eur       1          | € eur euro euros 欧元
gbp       1          | £ gbp 英镑
chf       1          | chf francs 法郎
inr       1          | inr rupee rupees 卢比
krw       1          | krw 韩元
"""


def _read() -> dict[str, dict[str, float]]:
    units: dict[str, dict[str, float]] = {}
    for line in _TABLE.strip().splitlines():
        head, _, names = line.partition("|")
        dimensions, factors = (part.split(",") for part in head.split())
        factors *= len(dimensions) // len(factors)
        for name in names.split():
            units[name.replace("-", " ")] = dict(zip(dimensions, map(float, factors), strict=True))
    return units


UNITS = _read()
#: Matches a unit where a number ends; longest spelling first. Words may be joined to it by a hyphen.
UNIT = "(?:{})".format(
    "|".join(
        re.escape(name).replace(r"\ ", r"[\s-]")
        + (r"(?![a-z])" if name[-1].isascii() and name[-1].isalpha() else "")
        for name in sorted(UNITS, key=lambda name: (-len(name), name))
        if name not in {"月"}  # "3月" is a month of the year
    )
)
#: Signs and codes that stand before the amount.
CURRENCY = r"(?:us\$|hk\$|nt\$|[$€£¥]|\b(?:usd|eur|gbp|cny|rmb|jpy|hkd|twd|chf|inr|krw)(?=[\s\d])|人民币)"


def unit(name: str) -> dict[str, float] | None:
    """The factor to the base of each dimension that a unit as written may be of; None when it is none."""
    return UNITS.get(re.sub(r"[\s-]+", " ", name.strip().lower()))


@lru_cache(maxsize=1024)
def mentioned(text: str) -> frozenset[str]:
    """The dimensions of all units whose names occur in a text, with or without a number before them."""
    lowered = text.lower()
    words = set(re.findall(r"[a-zµμ]+", lowered)) | set(re.findall(r"[a-z]+/[a-z]+", lowered))
    found: set[str] = set()
    for name, dimensions in UNITS.items():
        if name in words or ((not name.isascii() or not name.isalpha()) and len(name) > 0 and name in lowered):
            found |= set(dimensions)
    return frozenset(found)

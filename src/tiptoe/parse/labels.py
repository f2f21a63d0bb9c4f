"""Which codec does an encoding label mean?

The WHATWG table, as far as Python has codecs: on the web "iso-8859-1" means
windows-1252 and "gb2312" means gb18030. Only codecs listed here are ever used:
names like `utf-7`, `idna` or `unicode_escape` mean nothing.
"""

from collections.abc import Mapping
from typing import Final

__all__ = ["WINDOWS_TWIN", "find_codec"]

LABEL_CHARS_MAX: Final = 40

_CODECS: Mapping[str, str] = {
    # codec         labels
    "utf-8":        "utf-8 utf8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8",
    "windows-1250": "windows-1250 cp1250 x-cp1250 win-1250 win1250 windows1250",
    "windows-1251": "windows-1251 cp1251 x-cp1251 win-1251 win1251 windows1251",
    "windows-1252": "windows-1252 cp1252 x-cp1252 iso-8859-1 iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 "
                    "latin1 latin-1 l1 cp819 ibm819 csisolatin1 iso-ir-100 ascii us-ascii ansi_x3.4-1968",
    "windows-1253": "windows-1253 cp1253 x-cp1253",
    "windows-1254": "windows-1254 cp1254 x-cp1254 iso-8859-9 iso8859-9 iso88599 iso_8859-9 "
                    "iso_8859-9:1989 latin5 l5 csisolatin5 iso-ir-148",
    "windows-1255": "windows-1255 cp1255 x-cp1255",
    "windows-1256": "windows-1256 cp1256 x-cp1256",
    "windows-1257": "windows-1257 cp1257 x-cp1257",
    "windows-1258": "windows-1258 cp1258 x-cp1258",
    "cp874":        "windows-874 dos-874 tis-620 iso-8859-11 iso8859-11 iso885911",
    "iso-8859-2":   "iso-8859-2 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 latin2 latin-2 l2 csisolatin2 "
                    "iso-ir-101",
    "iso-8859-3":   "iso-8859-3 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 latin3 l3 csisolatin3 "
                    "iso-ir-109",
    "iso-8859-4":   "iso-8859-4 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 latin4 l4 csisolatin4 "
                    "iso-ir-110",
    "iso-8859-5":   "iso-8859-5 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988 cyrillic "
                    "csisolatincyrillic iso-ir-144",
    "iso-8859-6":   "iso-8859-6 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987 iso-8859-6-e iso-8859-6-i "
                    "csiso88596e csiso88596i arabic csisolatinarabic asmo-708 ecma-114 iso-ir-127",
    "iso-8859-7":   "iso-8859-7 iso8859-7 iso88597 iso_8859-7 iso_8859-7:1987 greek greek8 "
                    "csisolatingreek ecma-118 elot_928 sun_eu_greek iso-ir-126",
    "iso-8859-8":   "iso-8859-8 iso8859-8 iso88598 iso_8859-8 iso_8859-8:1988 iso-8859-8-e iso-8859-8-i "
                    "csiso88598e csiso88598i hebrew csisolatinhebrew visual logical iso-ir-138",
    "iso-8859-10":  "iso-8859-10 iso8859-10 iso885910 latin6 l6 csisolatin6 iso-ir-157",
    "iso-8859-13":  "iso-8859-13 iso8859-13 iso885913",
    "iso-8859-14":  "iso-8859-14 iso8859-14 iso885914",
    "iso-8859-15":  "iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9 latin9 latin-9 csisolatin9",
    "iso-8859-16":  "iso-8859-16",
    "cp852":        "cp852 ibm852 852",
    "cp866":        "cp866 ibm866 866 csibm866",
    "koi8-r":       "koi8-r koi koi8 koi8_r cskoi8r",
    "koi8-u":       "koi8-u koi8-ru",
    "mac_roman":    "macintosh mac x-mac-roman csmacintosh",
    "mac_latin2":   "x-mac-ce mac-centraleurope maclatin2",
    "mac_cyrillic": "x-mac-cyrillic x-mac-ukrainian mac-cyrillic",
    "gb18030":      "gb18030 gbk gb2312 gb_2312 gb_2312-80 chinese csgb2312 "
                    "csiso58gb231280 iso-ir-58 x-gbk hz-gb-2312",
    "big5hkscs":    "big5 big5-hkscs cn-big5 csbig5 x-x-big5",
    "euc_jp":       "euc-jp x-euc-jp cseucpkdfmtjapanese",
    "iso2022_jp":   "iso-2022-jp csiso2022jp",
    "cp932":        "shift_jis shift-jis sjis x-sjis ms_kanji ms932 windows-31j csshiftjis",
    "cp949":        "euc-kr cseuckr csksc56011987 iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 "
                    "ksc5601 ksc_5601 windows-949 uhc cp949",
    "utf-16-le":    "utf-16 utf-16le unicode unicodefeff ucs-2 iso-10646-ucs-2 csunicode",
    "utf-16-be":    "utf-16be unicodefffe",
}  # fmt: skip

_CODEC_BY_LABEL: Final = {label: codec for codec, labels in _CODECS.items() for label in labels.split()}

WINDOWS_TWIN: Final[Mapping[str, str]] = {
    "iso-8859-2": "windows-1250",
    "iso-8859-4": "windows-1257",
    "iso-8859-5": "windows-1251",
    "iso-8859-6": "windows-1256",
    "iso-8859-7": "windows-1253",
    "iso-8859-8": "windows-1255",
    "iso-8859-13": "windows-1257",
    "iso-8859-15": "windows-1252",
}
"""The real encoding of a page with this label, if it has characters where the standard has none."""


def find_codec(label: str | None) -> str | None:
    """Return the name of the codec that a label means; None if it is unknown."""
    if not label or len(label) > LABEL_CHARS_MAX:
        return None
    return _CODEC_BY_LABEL.get(label.strip(" \t\r\n\f\"'").lower())

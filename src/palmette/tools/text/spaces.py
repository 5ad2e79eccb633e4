"""Scripts whose words have no spaces between them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice

# Han, hiragana, bopomofo; Thai, Lao, Tibetan, Myanmar, Khmer
SPACELESS = (
    "\u3005-\u3007\u3041-\u309f\u3100-\u312f\u31a0-\u31bf\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
    "\u0e01-\u0e4e\u0e81-\u0ece\u0f40-\u0fbc\u1000-\u103f\u1050-\u109f\u1780-\u17d3"
)
FEW_WORDS = 3.0  # of a sentence, on average
_RUN = re.compile(rf"[{SPACELESS}\u30a0-\u30ff]{{6}}")
_LOOKED_AT = 1000


def lacks_spaces(words: Iterable[str], n_words: int, n_sentences: int) -> bool:
    """Say whether sentences are single words of a script without spaces. words: the different ones.

    >>> lacks_spaces(["猫が魚を食べる", "。"], 4, 2), lacks_spaces(["猫", "が", "魚", "を", "食べる", "。"], 12, 2)
    (True, False)
    """
    if not n_words or n_words > FEW_WORDS * n_sentences:
        return False
    long = [word for word in islice(words, _LOOKED_AT) if len(word) > 1]
    return 2 * sum(bool(_RUN.search(word)) for word in long) > len(long)

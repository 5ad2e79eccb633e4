"""Language models written out: counts in dictionaries, probabilities by the definitions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

Gram = tuple[str, ...]


class SlowModel:
    """p(w | h) by recursion over histories, after counting with dictionaries."""

    def __init__(
        self, lines: Sequence[str], order: int, smoothing: str, discount: float | None = None
    ) -> None:
        self.order, self.smoothing, self.given = order, smoothing, discount
        self.raw: list[Counter[Gram]] = [Counter() for _ in range(order + 1)]
        for line in lines:
            words = ["<s>", *line.split(), "</s>"]
            for n in range(1, order + 1):
                for i in range(len(words) - n + 1):
                    self.raw[n][tuple(words[i : i + n])] += 1
        self.vocabulary = sorted({g[0] for g in self.raw[1]} - {"<s>"} | {"<unk>"})
        kneser_ney = smoothing.endswith("kneser-ney")
        self.counts: list[Counter[Gram]] = [Counter()]
        for n in range(1, order + 1):
            counts: Counter[Gram] = Counter()
            for gram, c in self.raw[n].items():
                if gram == ("<s>",):
                    continue
                if not kneser_ney or n == order or gram[0] == "<s>":
                    counts[gram] = c
                else:
                    counts[gram] = sum(longer[1:] == gram for longer in self.raw[n + 1])
            self.counts.append(counts)

    def discounts(self, n: int) -> tuple[float, float, float]:
        r = Counter(self.counts[n].values())
        if self.smoothing == "maximum-likelihood" or (self.smoothing == "kneser-ney" and n == 1):
            return 0.0, 0.0, 0.0
        if self.given is not None:
            return self.given, self.given, self.given
        if not (r[1] and r[2] and r[3]):
            return 0.5, 1.0, 1.5
        y = r[1] / (r[1] + 2 * r[2])
        if self.smoothing != "modified-kneser-ney":
            return y, y, y
        one, two, three = (k - (k + 1) * y * r[k + 1] / r[k] for k in (1, 2, 3))
        return (one, two, three) if 0 <= one <= 1 and 0 <= two <= 2 and 0 <= three <= 3 else (0.5, 1.0, 1.5)

    def p(self, word: str, history: Gram) -> float:
        history = history[max(0, len(history) - (self.order - 1)) :]
        n = len(history) + 1
        seen = {gram[-1]: c for gram, c in self.counts[n].items() if gram[:-1] == history}
        shorter = 1 / len(self.vocabulary) if n == 1 else None
        if not seen:
            return self.p_shorter(word, history, shorter)
        d = self.discounts(n)
        total = sum(seen.values())
        off = {w: d[min(c, 3) - 1] for w, c in seen.items()}
        gamma = sum(off.values()) / total
        own = (seen[word] - off[word]) / total if word in seen else 0.0
        if self.smoothing == "katz-absolute":
            # Only words that were not seen share what is left, in proportion to the shorter history.
            rest = [w for w in self.vocabulary if w not in seen]
            if word in seen:
                return own if rest else own / (1 - gamma)
            share = {w: 1.0 if n == 1 else self.p(w, history[1:]) for w in rest}
            return gamma * share[word] / sum(share.values())
        return own + gamma * self.p_shorter(word, history, shorter)

    def p_shorter(self, word: str, history: Gram, uniform: float | None) -> float:
        return uniform if uniform is not None else self.p(word, history[1:])

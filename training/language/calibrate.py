"""How often is a guess correct, given its evidence?

    python training/language/calibrate.py BIG_TEST_TXT

Fits a logistic curve to the guesses for the tuning sentences, in full, cut short and without
accents; sentences in languages that the lexicon does not have count as wrong guesses.
Prints the constants for `tiptoe/text/language.py` and how well they fit.
"""

import math
import sys
from pathlib import Path

import numpy as np
from sentences import TUNED_ON, pieces, sentences
from sources import LATIN, without_accents

from tiptoe.text.language_model import LanguageEvidence, load_lexicons

STRANGERS = ("eu", "az", "tl", "yo", "ku")


def features(evidence: LanguageEvidence) -> list[float]:
    """Return the features that `tiptoe.text.language` uses."""
    fit, length = min(evidence.fit, 12.0), math.log(min(evidence.words, 20) + 1)
    return [1.0, math.sqrt(min(evidence.lead, 100)), fit, length, fit * length]


def main(path: Path) -> None:
    lexicon = load_lexicons()["latin"]
    by_language = sentences(path)
    rows, right = [], []
    for language in (*LATIN, *STRANGERS):
        for chars in (15, 30, 60, 100):
            for piece in pieces(by_language[language][:TUNED_ON], chars):
                for text in {piece, without_accents(piece.lower())}:
                    evidence = lexicon.judge(lexicon.read(text))
                    rows.append(features(evidence))
                    right.append(evidence.best == language)
    x, y = np.array(rows), np.array(right, dtype=float)
    weights = np.zeros(x.shape[1])
    for _ in range(30):  # Newton's method
        p = 1 / (1 + np.exp(-x @ weights))
        hessian = (x * (p * (1 - p))[:, None]).T @ x + 1e-6 * np.eye(len(weights))
        weights += np.linalg.solve(hessian, x.T @ (y - p))
    print("constant, root of lead, fit, length, fit by length:", np.round(weights, 3))
    p = 1 / (1 + np.exp(-x @ weights))
    for low, high in ((0, 0.2), (0.2, 0.4), (0.4, 0.6), (0.6, 0.8), (0.8, 0.9), (0.9, 0.95), (0.95, 1.01)):
        chosen = (p >= low) & (p < high)
        said, true = p[chosen].mean(), y[chosen].mean()
        print(f"{low:.2f}-{high:.2f}: said {said:.3f}, right {true:.3f}, {chosen.sum()} texts")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

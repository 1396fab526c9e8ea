"""What the page says of certainty: the sentence at its top, probabilities, hidden causes, and questions."""

from typing import TYPE_CHECKING, Any

import numpy as np

from dagscale.result.ask import questions
from dagscale.result.certainty import headline

if TYPE_CHECKING:
    from dagscale.result import Result

LIKELY = 0.05  # pairs with less probability are not listed
SHOWN_QUESTIONS = 10


def certainty_payload(result: "Result") -> dict[str, Any]:
    """Return `headline`, `probable` [[i, j, p]], `confounded` [[i, j]] and `questions`, the most useful first."""
    place = {name: i for i, name in enumerate(result.names)}
    asked = sorted(questions(result), key=lambda one: -one.links)[:SHOWN_QUESTIONS]
    return {
        "headline": headline(result),
        "probable": [
            [i, j, round(float(result.probabilities[i, j]), 4)]
            for i, j in np.argwhere(result.probabilities > LIKELY).tolist()
        ],
        "confounded": np.argwhere(np.triu(result.confounded, 1)).tolist(),
        "questions": [
            {
                "question": one.question,
                "links": one.links,
                "answers": [
                    {"text": text, "required": [[place[a], place[b]] for a, b in known.required]}
                    for text, known in one.answers.items()
                ],
            }
            for one in asked
        ],
    }

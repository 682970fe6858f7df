"""Serves questions to `python-process.ts`: one JSON object a line, until the input ends."""

import json
import sys


def serve(questions):
    """Answers each question with the function that `questions` has under its name."""
    for line in sys.stdin:
        question = json.loads(line)
        try:
            answer = {"answer": questions[question["ask"]](question)}
        except Exception as error:  # whoever asked fails with it
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)

"""Reads JSON as clients really write it."""

import json

import orjson


def read_json(text: bytes) -> object:
    r"""The content of a JSON text. Raises `ValueError`.

    orjson refuses lone surrogates, which RFC 8259 section 8.2 lets in, as `"\ud800"`; each is read as a question
    mark. A player who has sent one is to be answered.
    """
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        if b"\\ud" not in text.lower():
            raise
    try:
        return orjson.loads(json.dumps(json.loads(text), ensure_ascii=False).encode("utf-8", "replace"))
    except RecursionError as error:
        raise ValueError("the JSON text is nested too deeply") from error

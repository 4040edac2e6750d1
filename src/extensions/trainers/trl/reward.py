ends = ("<eot>", "<finish>")
loaded = {}


def said(ids: list) -> tuple:
    """The text before its end, special tokens too, and whether it came to an end."""
    if "tokenizer" not in loaded:
        from transformers import AutoTokenizer

        loaded["tokenizer"] = AutoTokenizer.from_pretrained(folder / "model")
    text = loaded["tokenizer"].decode(ids, clean_up_tokenization_spaces=False)
    at = min((text.find(end) for end in ends if end in text), default=None)
    return (text, False) if at is None else (text[:at], True)


def reward(prompts: list, completions: list, completion_ids: list, problem: list, **_) -> list:
    """As TRL asks: a number for each completion."""
    spoken = [said(ids) for ids in completion_ids]
    paid = [0.0] * len(spoken)
    for one in dict.fromkeys(problem):
        places = [i for i, other in enumerate(problem) if other == one and (spoken[i][1] or not settings["endsOnly"])]
        for i, value in zip(places, worth(one, [spoken[i][0] for i in places]) if places else []):
            paid[i] = float(value)
    return paid

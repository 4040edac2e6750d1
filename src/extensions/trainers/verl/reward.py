def compute_score(data_source: str, solution_str: str, ground_truth: str, extra_info: dict, **_) -> float:
    """As verl asks: a number for one completion."""
    return float(worth(extra_info["problem"], [solution_str])[0])

// Problems of the house rule, the only world of the first version, which stored them in its own form.

/** Converts a stored problem of that version to the present form; returns anything else unchanged. */
export function presentProblem(record: unknown): unknown {
  if (typeof record !== 'object' || record === null || 'world' in record || !('expression' in record)) return record;
  const { id, level, expression, rule, answer } = record as Record<string, unknown>;
  return {
    ...{ id, world: 'houseRule', level, shown: expression, hidden: { rule: `<${String(rule)}>` }, answer },
    ...{ slice: rule, given: { rule } },
  };
}

// Reads problems that were stored by the first version. The only world of this version was house-rule arithmetic, and
// problems had other fields.

/** Converts a stored problem of that version to the present form; returns anything else unchanged. */
export function presentProblem(record: unknown): unknown {
  if (typeof record !== 'object' || record === null || 'world' in record || !('expression' in record)) return record;
  const { id, level, expression, rule, answer } = record as Record<string, unknown>;
  return {
    ...{ id, world: 'houseRule', level, shown: expression, hidden: { rule: `<${String(rule)}>` }, answer },
    ...{ slice: rule, given: { rule } },
  };
}

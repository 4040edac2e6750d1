// One question with a checkable answer, as plain data: a part that all agents see, parts that only some agents see, and
// a part that only the world uses.
import * as v from 'valibot';
import { formOf } from '../config/worlds/registry.ts';
import { presentProblem } from '../migrations/problem.ts';

export const whole = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

const plainProblem = v.object({
  /** An id that always identifies the same problem within its world. */
  id: v.string(),
  world: v.string(),
  level: whole,
  /** The text that every agent may see. */
  shown: v.string(),
  /** The hidden texts, by name. A setting determines which agents see which hidden texts. */
  hidden: v.record(v.string(), v.string()),
  answer: v.string(),
  /** The name of the slice of the problem. Accuracy is also reported separately for each slice. */
  slice: v.string(),
  /** Data that only the world uses. Each world has its own format. */
  given: v.unknown(),
});

export type Problem = v.InferOutput<typeof plainProblem>;

/** A stored problem, possibly of an earlier version. `given` must have the format that the problem's world requires. */
export const problemSchema = v.pipe(
  v.unknown(),
  v.transform(presentProblem),
  plainProblem,
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const { given, world } = dataset.value;
    const form = formOf(world).given;
    const [issue] = (form && v.safeParse(form, given).issues) ?? [];
    if (!issue) return;
    const path: v.ObjectPathItem = {
      type: 'object',
      origin: 'value',
      input: dataset.value,
      key: 'given',
      value: given,
    };
    addIssue({
      message: issue.message,
      expected: issue.expected ?? 'another form',
      received: issue.received,
      path: [path, ...((issue.path ?? []) as v.ObjectPathItem[])],
    });
  }),
);

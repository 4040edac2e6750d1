// Facts about grid planning for the settings, the files and the page.
import * as v from 'valibot';
import type { ShippedForm } from '../../../config/worlds/form.ts';

/** The maximum number of cells in a row of a map. */
export const widest = 7;

const columns = [...'abcdefg'];
export const cellNames: readonly string[] = Array.from(
  { length: widest * widest },
  (_, place) => `${columns[place % widest]}${Math.floor(place / widest) + 1}`,
);

const cell = v.picklist(cellNames);
const steps = { min: 0, max: 2, source: 'Cothink', weight: 0 } as const;

export const form = {
  name: 'grid',
  order: 60,
  label: 'Grid planning',
  sentence:
    'A treasure is buried at a place that only the map shows; the walker sees the eight cells around itself, including rocks that are not on the map.',
  levels: [
    { level: 1, label: '5 × 5, walls and rocks' },
    { level: 2, label: '6 × 6, a key and the door that it opens' },
    { level: 3, label: '7 × 7, a guard who walks back and forth' },
  ],
  hidden: [
    {
      name: 'map',
      label: 'the map',
      sentence:
        'The map shows the treasure, the walls, a key and a door; an agent that does not see the map cannot know where to dig. Rocks and guards are not on the map.',
    },
    {
      name: 'ground',
      label: 'the ground',
      sentence:
        'The ground contains the rocks and the path of a guard, beginning with the cell in which the guard starts. A planner does not see the ground; the walker sees only the cells next to its own cell.',
      usual: { reMA: 'nobody' },
    },
  ],
  slices: { label: 'path', words: { clear: 'clear path', hindered: 'something in the way' } },
  parts: [
    {
      ...steps,
      name: 'openWay',
      label: 'Open path',
      sentence: 'The agent describes a path that is free on the map.',
      paidOn: 'a planner turn or an answer whose steps follow such a path',
      suggested: 0.25,
    },
    {
      ...steps,
      name: 'asTold',
      label: 'Walked as planned',
      sentence:
        'The walker follows the plan up to the first step that is blocked or out of sight, and reports the steps taken.',
      paidOn: 'a walker turn or an answer that ends with digging',
      suggested: 0.5,
    },
  ],
  vocabularies: { lexemes: 'a token for each cell, direction and word' },
  tokens: 203,
  typed: {
    label: 'Start',
    hint: 'The cell of the start, such as b1; the map, such as Xd3#c1#d2 (X is the treasure, # is a wall); and the ground, such as <rock>b4.',
  },
  given: v.object({
    size: v.pipe(v.number(), v.integer(), v.minValue(3), v.maxValue(widest)),
    start: cell,
    walls: v.array(cell),
    rocks: v.array(cell),
    key: v.nullable(cell),
    door: v.nullable(cell),
    beat: v.array(cell),
  }),
  example: {
    shown: 'b1',
    hidden: { map: 'Xd3#c1#d2', ground: '<rock>b4' },
    plan: 'NE',
    answer: 'b2c2',
  },
  shipped: [{ warmStart: { steps: 1000, goodPlans: 0.35 }, run: { seed: 1 } }],
} as const satisfies ShippedForm;

declare module '../../../config/worlds/form.ts' {
  interface WorldForms {
    grid: typeof form;
  }
}

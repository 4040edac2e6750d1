import { expect, it } from 'vitest';
import { verifierWork } from './verifierWork.ts';
import { assembleTeam } from '../team/team.ts';
import { microConfig } from '../testing/microRun.ts';
import { trajectoryOf } from '../testing/spoken.ts';
import type { Verifier } from '../verifier/trainedVerifier.ts';

it('the work of a verifier grows with answers and their length, and is none without one', () => {
  const settings = { agents: { protocol: 'debate', count: 2 }, verifier: { isTrained: true, steps: 5, batch: 10 } } as const; // prettier-ignore
  const team = assembleTeam(microConfig(settings));
  const tried = [trajectoryOf([{ agent: 0, tokens: [11, 12, 2] }, { agent: 1, tokens: [11, 2] }])]; // prettier-ignore
  for (const turn of tried[0]?.turns ?? []) turn.isRight = false;
  const verifier = { network: {}, answers: [] } as unknown as Verifier;
  // Four tokens of question, one of header, three of the longer answer: eight in a row of sixteen are half a row.
  const work = verifierWork({ team, verifier }, tried, { dialogues: 6, rowLength: 16 });
  expect(work).toEqual({ scoredRows: 6, steps: 5, stepRows: 5 });
  expect(verifierWork({ team }, tried, { dialogues: 6, rowLength: 16 }).steps).toBe(0);
});

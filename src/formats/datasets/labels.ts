// ANLI: the question is whether a premise entails a hypothesis, contradicts the hypothesis, or does neither. The
// hypothesis is short, so the agent that sees the hypothesis can include it in a message. The other agent sees the
// premise, which is longer. A label is a number, a number as text, a name, or the first letter of a name.
import * as v from 'valibot';
import { quoted } from '../../base/quote.ts';
import { spoken } from '../../base/spoken.ts';
import { filled, has, reader, type ShapeReader } from './reading.ts';

const labels = ['entailment', 'neutral', 'contradiction'] as const;

export const anli: ShapeReader = {
  isOf: (row) => has(row, 'premise', 'hypothesis', 'label'),
  read: reader(
    v.object({ premise: filled, hypothesis: filled, label: v.union([v.number(), v.string()]) }),
    ({ premise, hypothesis, label }) => {
      const written = `${label}`.trim().toLowerCase();
      const answer = labels.find((name, number) => [`${number}`, name, name[0]].includes(written));
      if (answer === undefined)
        return spoken`label: expected 0, 1, 2, entailment, neutral or contradiction, got ${quoted(label)}`;
      return {
        ...{ shown: '', hidden: { hypothesis, premise }, answer, slice: answer, told: { hypothesis } },
        grade: premise.length < 400 ? 'premises of up to 400 characters' : 'longer premises',
      };
    },
  ),
};

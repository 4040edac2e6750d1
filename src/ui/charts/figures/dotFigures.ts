// Makes figures of measurements that have an interval at a few positions: accuracy by number of answers, accuracy by
// score of a verifier, and the value of each message.
import type { AnswersOf } from '../../../records/metrics.ts';
import { say } from '../../../state/visitor/language.svelte.ts';
import { decimal } from '../../words.ts';
import { endsOf, kinds, spokenAnswers } from '../answers.ts';
import { answersNote, verifierNote } from '../chartNotes.ts';
import { spokenReliability, type ReliabilityPoint } from '../reliability.ts';
import type { FigureLine } from './drawing.ts';
import type { ShownFigure } from './figure.ts';

const shares = { label: '', range: [0, 1], write: (y: number) => decimal(y, 1) } as const;

/** The figure of pass@k and majority@k. */
export function answersFigure(all: AnswersOf): ShownFigure {
  const ks = all.at.map(({ k }) => k);
  return {
    ...{ title: say('Several answers'), summary: spokenAnswers(all), height: 250 },
    ...{ formula: answersNote.formula, source: answersNote.source },
    x: { label: say('answers'), range: [1, Math.max(2, ...ks)], ticks: ks, write: String, isDoubling: true },
    y: { ...shares, label: say('share right') },
    marks: kinds.map((kind): FigureLine => ({
      ...{ kind: 'line', label: `${kind.name}: ${kind.label}`, colour: kind.colour, hasPoints: true, ends: 'bars' },
      ...{ x: 'k', y: kind.name, low: `${kind.name} low`, high: `${kind.name} high` },
      ...('dash' in kind && { dash: kind.dash }),
    })),
    table: {
      columns: ['k', ...kinds.flatMap(({ name }) => [name, `${name} low`, `${name} high`]), 'problems'],
      rows: all.at.map((at) => [
        at.k,
        ...kinds.flatMap((kind) => [at[kind.key], endsOf(at, kind).low, endsOf(at, kind).high]),
        all.problems,
      ]),
    },
  };
}

/**
 * The figure that compares a verifier's scores with the shares of right answers. A dot is larger if more answers have
 * this score.
 */
export function reliabilityFigure(points: readonly ReliabilityPoint[], iteration: number): ShownFigure {
  const title = `${say('Verifier')}, ${say('at {iteration}', { iteration })}`;
  return {
    ...{ title, summary: spokenReliability(points), height: 320 },
    ...{ formula: verifierNote.formula, source: verifierNote.source },
    x: { ...shares, label: say('score') },
    y: { ...shares, label: say('share right') },
    diagonal: say('score equals share right'),
    counts: { from: 'from', to: 'to', number: 'answers' },
    marks: [
      {
        ...{
          kind: 'line',
          label: say('Verifier'),
          colour: 'meta',
          width: 1.6,
          hasPoints: true,
          sizes: 'answers',
          ends: 'bars',
        },
        ...{ x: 'mean score', y: 'share right', low: 'low', high: 'high' },
      },
    ],
    table: {
      columns: ['from', 'to', 'answers', 'mean score', 'share right', 'low', 'high'],
      rows: points.map(({ from, to, count, at }) => [
        from,
        to,
        count,
        at?.score ?? null,
        at?.right ?? null,
        at?.low ?? null,
        at?.high ?? null,
      ]),
    },
  };
}

export interface Worth {
  agent: string;
  message: string;
  worth: number;
  /** The standard error of `worth`. */
  error: number;
  /** The advantage that the run's own learner computed for the message; null if this advantage is not known. */
  paid: number | null;
}

/**
 * The figure of the value of each message of a dialogue, with an interval of two standard errors. If this interval does
 * not contain 0, the dot has another colour and shape.
 */
export function worthFigure(messages: readonly Worth[], draws: number): ShownFigure {
  const names = messages.map(({ agent, message }, t) => `${t + 1} · ${agent}: ${message}`);
  const widest = Math.max(0.01, ...messages.map(({ worth, error }) => Math.abs(worth) + 2 * error)) * 1.05;
  return {
    ...{ title: say('What were these messages worth?'), height: 34 * names.length },
    summary: say('Messages of this dialogue'),
    formula: say('V(c + m) − V(c), {draws} continuations of each; bars are two standard errors', { draws }),
    source: 'Cothink; C3 2603.06859',
    x: { label: say('worth'), range: [-widest, widest], write: (x) => decimal(x, 2) },
    y: { label: say('message'), range: [names.length - 0.5, -0.5], names, write: String },
    marks: [
      {
        ...{ kind: 'line', label: '', colour: 'mute', isLoose: true, ends: 'barsAlongX' },
        dots: messages.map(({ worth, error }) =>
          worth > 2 * error
            ? { colour: 'good' }
            : worth < -2 * error
              ? { colour: 'bad', isSquare: true }
              : { colour: 'mute' },
        ),
        ...{ x: 'worth', y: 'message', low: 'low', high: 'high' },
      },
    ],
    table: {
      columns: ['message', 'worth', 'low', 'high', 'paid'],
      rows: messages.map(({ worth, error, paid }, t) => [
        names[t] ?? '',
        worth,
        worth - 2 * error,
        worth + 2 * error,
        paid,
      ]),
    },
  };
}

// Finds the format in which the page shows the texts and problems of a world. The format is defined in the folder of
// the world. For a world without a format, texts are shown unchanged, and each word is a token.
import { getContext, setContext } from 'svelte';
import type { Member } from '../../records/cast.ts';
import type { Problem } from '../../records/problem.ts';
import type { Trajectory, Turn } from '../../records/trajectory.ts';
import { say } from '../../state/visitor/language.svelte.ts';
import { seenBy } from '../words.ts';
import { asWritten, type WorldLook } from './worldLook.ts';
import { shownFormOf } from '../../state/visitor/worldForms.ts';

const found = import.meta.glob<WorldLook>('../../extensions/worlds/*/look/look.ts', { eager: true, import: 'look' });
const looks: Readonly<Record<string, WorldLook>> = Object.fromEntries(
  Object.entries(found).map(([file, look]) => [file.split('/').at(-3), look]),
);

export const lookOf = (world: string): WorldLook => looks[world] ?? asWritten;

const onShow = Symbol('the world on show');

/** Provides the world of the displayed problem to the components below. */
export const provideWorld = (world: () => string) => setContext(onShow, world);

/** The format of the displayed world. */
export function shownLook(): () => WorldLook {
  const world = getContext<(() => string) | undefined>(onShow);
  return () => lookOf(world?.() ?? '');
}

/**
 * The tokens of a turn as the page displays them. The tokens are computed from the turn's text, because there is no
 * inspection while a dialogue is being sampled.
 */
export function turnTokens(
  {
    text,
    isFinish,
    isTruncated,
    tokens,
  }: Pick<Turn, 'text' | 'isFinish' | 'isTruncated'> & Partial<Pick<Turn, 'tokens'>>,
  look: WorldLook,
): string[] {
  const said = look.tokens(text, tokens);
  if (isFinish) return [...said.filter((token) => token !== '<finish>'), '■'];
  return isTruncated ? said : [...said, '⏎'];
}

/** The text of a turn without the sign that ends the dialogue. */
export const spokenText = ({ text }: Pick<Turn, 'text'>): string => text.replace('<finish>', '').trim();

/** The tokens of a turn without the signs for the end of a turn and of a dialogue. */
export const spokenTokens = (turn: Parameters<typeof turnTokens>[0], look: WorldLook): string[] =>
  turnTokens(turn, look).filter((token) => token !== '⏎' && token !== '■');

/** The answer of a dialogue as the page displays it. */
export const answerText = ({ answer, problem }: Pick<Trajectory, 'answer' | 'problem'>): string =>
  answer === null ? '∅' : lookOf(problem.world).formula(answer);

/** A hidden text of a problem as the page displays it. */
export interface ProblemNote {
  label: string;
  text: string;
  /** A label before the text, which shows which agents see the text. */
  seenBy: string;
  sentence: string;
}

/** Whether no agent sees the text as a whole, because it is read piece by piece. */
const isReadInPieces = (world: string, name: string, cast: readonly Member[]) =>
  lookOf(world).isReadInPieces === true && cast.every(({ sees }) => !sees.some((one) => one.name === name));

/** A problem as the page displays it: the text that all agents see, and the hidden texts. */
export function problemView(problem: Problem, cast: readonly Member[]) {
  const { world, level, shown, hidden } = problem;
  const note = shownFormOf(world).levels.find((described) => described.level === level)?.note ?? null;
  const { formula, title = formula, note: written = (text) => text } = lookOf(world);
  const notes = shownFormOf(world).hidden.map(({ name, label, sentence, words }): ProblemNote => {
    const text = hidden[name] ?? '';
    return {
      label,
      text: words?.[text] ?? written(text),
      seenBy: isReadInPieces(world, name, cast)
        ? say('The text, read one piece at a time:')
        : seenBy(cast, { name, label }),
      sentence,
    };
  });
  return { headline: title(shown), note, notes };
}

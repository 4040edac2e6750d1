// How each world is set on the page: its formulas, its sentences, its tokens, and what its figure says. A world that is not
// named here is set as it is written, a word a token.
import { getContext, setContext, type Component } from 'svelte';
import { formOf } from '../../config/worlds/registry.ts';
import type { Member } from '../../records/cast.ts';
import type { Problem } from '../../records/problem.ts';
import type { Trajectory, Turn } from '../../records/trajectory.ts';
import { say } from '../../state/visitor/language.svelte.ts';
import { seenBy } from '../words.ts';
import AlgebraCheck from './AlgebraCheck.svelte';
import { algebraInWords, algebraTokens, typesetAlgebra } from './algebra.ts';
import { gridText, gridTokens } from './grid.ts';
import GridMap from './GridMap.svelte';
import CodeAsked from './CodeAsked.svelte';
import { codeNote, codeTokens, typesetCode } from './code.ts';
import { mathText, tokensOf, typeset } from './houseRule.ts';
import DecidingPremises from './DecidingPremises.svelte';
import MemoryFacts from './MemoryFacts.svelte';
import { shownNote } from './memory.ts';
import HouseRulePlayed from './HouseRulePlayed.svelte';
import HouseRuleReading from './HouseRuleReading.svelte';
import StorySteps from './StorySteps.svelte';
import ToolCalls from './ToolCalls.svelte';
import { toolText, toolTokens } from './tools.ts';
import { wordTokens, written } from './wordProblems.ts';

export interface WorldLook {
  /** A question or an answer. */
  formula: (text: string) => string;
  /** What a problem is called where its text alone says too little; absent: its formula. */
  title?: (shown: string) => string;
  /** What was said, and reasons of the check, within a sentence. */
  sentence: (text: string) => string;
  /** What a text is made of; ids tell tokens of several signs apart. */
  tokens: (text: string, ids?: readonly number[]) => string[];
  /** What is hidden, and what the world shows on the way; absent: as it is written. */
  note?: (text: string) => string;
  /** Shows a problem beside its texts, with what was said as far as it is known. */
  Figure?: Component<{ problem: Problem; trajectory: Trajectory | null }>;
  /** Plays a problem out as it should go, for who sees the world for the first time. */
  Played?: Component<{ trajectory: Trajectory }>;
}

const asWritten: WorldLook = {
  formula: (text) => text,
  sentence: (text) => text,
  tokens: (text) => text.match(/<[^<>\s]+>|[^<\s]+/gu) ?? [],
};

const looks: Readonly<Record<string, WorldLook>> = {
  houseRule: {
    formula: typeset,
    sentence: mathText,
    tokens: tokensOf,
    Figure: HouseRuleReading,
    Played: HouseRulePlayed,
  },
  entailment: { ...asWritten, tokens: wordTokens, Figure: DecidingPremises },
  debate: { ...asWritten, tokens: wordTokens, Figure: DecidingPremises },
  wordProblems: { formula: written, sentence: mathText, tokens: wordTokens, Figure: StorySteps },
  memory: {
    formula: (text) => text,
    sentence: (text) => text,
    tokens: wordTokens,
    note: shownNote,
    Figure: MemoryFacts,
  },
  algebra: { formula: typesetAlgebra, sentence: algebraInWords, tokens: algebraTokens, Figure: AlgebraCheck },
  grid: {
    formula: gridText,
    title: (shown) => say('worlds.title.grid', { start: shown }),
    sentence: (text) => text,
    tokens: gridTokens,
    note: gridText,
    Figure: GridMap,
  },
  code: {
    formula: typesetCode,
    title: (shown) => say('worlds.title.code', { shown }),
    sentence: (text) => text,
    tokens: codeTokens,
    note: codeNote,
    Figure: CodeAsked,
  },
  tools: {
    ...asWritten,
    title: (shown) => say('worlds.title.tools', { count: Number.parseInt(shown, 10) }),
    ...{ tokens: toolTokens, note: toolText, Figure: ToolCalls },
  },
};

export const lookOf = (world: string): WorldLook => looks[world] ?? asWritten;

const onShow = Symbol('the world on show');

/** Tells the components below of which world the problem is that they show a part of. */
export const provideWorld = (world: () => string) => setContext(onShow, world);

/** The look of the world on show. */
export function shownLook(): () => WorldLook {
  const world = getContext<(() => string) | undefined>(onShow);
  return () => lookOf(world?.() ?? '');
}

/** The tokens of a turn as the page writes them, from its text alone: what is known while it is being sampled. */
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

/** A private text of a problem as the page shows it. */
export interface ProblemNote {
  label: string;
  text: string;
  /** Who sees it, as a label before it. */
  seenBy: string;
  sentence: string;
}

/** A text that nobody sees as a whole, since it is read piece by piece. */
const isReadInPieces = (world: string, name: string, cast: readonly Member[]) =>
  world === 'memory' && cast.every(({ sees }) => !sees.some((one) => one.name === name));

/** A problem as the page shows it: what all see, and what only some do. */
export function problemView(problem: Problem, cast: readonly Member[]) {
  const { world, level, shown, hidden } = problem;
  const note = formOf(world).levels.find((described) => described.level === level)?.note ?? null;
  const { formula, title = formula, note: written = (text) => text } = lookOf(world);
  const notes = formOf(world).hidden.map(({ name, label, sentence, words }): ProblemNote => {
    const text = hidden[name] ?? '';
    return {
      label,
      text: words?.[text] ?? written(text),
      seenBy: isReadInPieces(world, name, cast) ? say('worlds.memory.oneAtATime') : seenBy(cast, { name, label }),
      sentence,
    };
  });
  return { headline: title(shown), note, notes };
}

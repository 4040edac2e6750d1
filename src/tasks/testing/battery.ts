// The checks that every world must pass, regardless of its problems. Each check of a level returns descriptions of the
// faults that it finds, so that visitors' worlds can be checked too. `battery` defines one test for each check of a
// world.
import { describe, expect, it } from 'vitest';
import * as v from 'valibot';
import { Draws, streams } from '../../base/random.ts';
import type { Reason } from '../../base/reason.ts';
import type { ProtocolName } from '../../config/protocols/facts.ts';
import { parseConfig } from '../../config/parse.ts';
import { partsOf } from '../../config/worlds/form.ts';
import { roles } from '../../records/ids.ts';
import { problemSchema, type Problem } from '../../records/problem.ts';
import { protocolOf, type Protocol } from '../../records/protocol.ts';
import type { Reaction } from '../../records/trajectory.ts';
import { endOfTurn, feedbackTexts, finish, readTerminated, roleHeaders } from '../../text/chatTemplate.ts';
import { tokenizerOf, type Tokenizer } from '../../text/tokenizer.ts';
import type { Assessment, Demonstrated, DemonstrationOptions, Split, Utterance, World } from '../world.ts';

/** The number of problems drawn from each level. This number is large because long texts are rare. */
const drawnCount = 2_000;
/** The number of drawn problems per level that the solver solves. */
const solvedCount = 500;
/**
 * The maximum number of problems that are drawn from each split, and of held-out problems that are requested. If fewer
 * training problems were drawn for the checks, their number is used instead.
 */
const keptBackCount = 300;
/** Number of dialogues of random tokens. */
const randomCount = 250;

const solver: DemonstrationOptions = { goodPlans: 1, resultNoise: 0 };
const slipping: DemonstrationOptions = { goodPlans: 0.3, resultNoise: 0.2 };

/** One level of a world under some protocols, with problems that are drawn once for all checks. */
export interface WorldTrial {
  world: World;
  level: number;
  protocols: readonly Protocol[];
  problems: readonly Problem[];
}

const drawn = (world: World, level: number, { split, seed, count }: { split: Split; seed: number; count: number }) => {
  const draws = new Draws(seed, streams.problems, level);
  return Array.from({ length: count }, () => world.draw(level, draws, split));
};

export function trialOf(world: World, level: number, names: readonly ProtocolName[], count = drawnCount): WorldTrial {
  const { agents } = parseConfig({});
  const protocols = names.map((protocol) => protocolOf({ ...agents, protocol }, world));
  return { world, level, protocols, problems: drawn(world, level, { split: 'training', seed: 1, count }) };
}

/** The first few of many faults. */
const few = (faults: Iterable<string>) => [...faults].slice(0, 5);

const told = ({ id }: Problem, what: string) => `${id}: ${what}`;
const asText = (value: unknown) => JSON.stringify(value);

/**
 * Checks that equal seeds lead to equal problems, that another seed leads to other problems, and that each problem can
 * be stored.
 */
export function faultsOfDrawing({ world, level, problems }: WorldTrial): string[] {
  const count = Math.min(problems.length, keptBackCount);
  const [again, others] = [1, 2].map((seed) => drawn(world, level, { split: 'training', seed, count }));
  const faults: string[] = [];
  if (asText(again) !== asText(problems.slice(0, count))) faults.push('the same seed draws other problems');
  if (asText(others) === asText(again)) faults.push('another seed draws the same problems');
  for (const problem of problems.slice(0, count)) {
    const stored: unknown = JSON.parse(asText(problem));
    if (asText(v.parse(problemSchema, stored)) !== asText(problem)) faults.push(told(problem, 'is stored otherwise'));
  }
  return few(faults);
}

/**
 * Checks that no held-out problem is used for training, and that the held-out problems are fixed and without
 * duplicates. Also checks that each slice has the same share of the held-out problems, except for slices that have too
 * few problems.
 */
export function faultsOfSplits({ world, level, problems }: WorldTrial): string[] {
  const seen = ({ shown, hidden }: Problem) => asText([shown, hidden]);
  const [ids, texts] = [new Set(problems.map(({ id }) => id)), new Set(problems.map(seen))];
  const count = Math.min(problems.length, keptBackCount);
  const heldOut = world.heldOut(level, count);
  const faults: string[] = [];
  const tenth = Math.ceil(count / 10);
  if (asText(world.heldOut(level, count)) !== asText(heldOut)) faults.push('held-out problems change');
  if (asText(world.heldOut(level, tenth)) !== asText(heldOut.slice(0, tenth)))
    faults.push('fewer held-out problems are others');
  const different = new Set(heldOut.map(({ id }) => id)).size;
  if (different < heldOut.length) faults.push(`only ${different} of ${heldOut.length} held-out problems differ`);
  if (heldOut.length > count || heldOut.length === 0) faults.push(`${heldOut.length} are held out, not ${count}`);
  const slices = [...new Set(heldOut.map(({ slice }) => slice))];
  const timesIn = (all: readonly Problem[], name: string) => all.filter(({ slice }) => slice === name).length;
  const shares = slices.map((name) => timesIn(heldOut, name));
  const most = Math.max(...shares);
  const isUneven = slices.some((name, i) => {
    const share = shares[i] as number;
    return most - share > 1 && timesIn(world.heldOut(level, 2 * count), name) > share;
  });
  if (isUneven) faults.push(`slices are held out ${shares.join(', ')} times`);
  for (const split of world.splits.filter((name) => name !== 'training')) {
    const kept = drawn(world, level, { split, seed: 3, count });
    for (const problem of split === 'heldOut' ? [...kept, ...heldOut] : kept) {
      if (ids.has(problem.id) || texts.has(seen(problem))) faults.push(told(problem, `${split}, and trained on`));
    }
  }
  return few(faults);
}

/**
 * Checks that every vocabulary has the special tokens of all roles, that these tokens have the same ids in all
 * vocabularies, and that the first vocabulary has the declared size.
 */
export function faultsOfVocabularies({ world }: Pick<WorldTrial, 'world'>): string[] {
  const special = ['<pad>', '<bos>', endOfTurn, finish, ...roles.map((role) => roleHeaders[role]), ...feedbackTexts];
  const names = Object.keys(world.vocabularies);
  const [first, ...others] = names.map((name) => tokenizerOf(world.tokenizers[name] as object));
  const read = (tokenizer: Tokenizer | undefined, text: string) => tokenizer?.encode(text).join() ?? '';
  const isCounted = world.tokens === undefined || world.tokens === first?.vocabSize;
  return few([
    ...(isCounted ? [] : [`it has ${first?.vocabSize} tokens, not ${world.tokens}`]),
    ...special.flatMap((text) =>
      others.some((other) => read(other, text) !== read(first, text)) ? `${text} has another id elsewhere` : [],
    ),
  ]);
}

/**
 * Checks that prompts and demonstrations, with and without slips, contain only tokens of the vocabulary, decode to the
 * same text and stay within the limits.
 */
export function faultsOfTexts({ world, level, protocols, problems }: WorldTrial): string[] {
  const faults = new Set<string>();
  const draws = new Draws(4, streams.demonstrations, level);
  const sizeIn = Object.values(world.tokenizers).map((json) => sizesBy(tokenizerOf(json), faults));
  const expectFit = (text: string, window: number, what: string) => {
    for (const sizeOf of sizeIn) {
      const size = sizeOf(text);
      if (size > window) faults.add(`${what} “${text}” has ${size} tokens, not ${window}`);
    }
  };
  for (const [i, problem] of problems.entries()) {
    const protocol = protocols[i % protocols.length] as Protocol;
    const { promptWindow, windows, roundLimit } = world.limits(level, protocol);
    for (const sees of protocol.sees) expectFit(world.view(problem, sees), promptWindow, 'the prompt');
    const said = world.demonstrate(problem, draws, { ...slipping, rounds: roundLimit }, protocol);
    for (const { agent, message, round } of said) {
      expectFit(message, windows[agent] ?? 0, `the turn of agent ${agent}`);
      if (round >= roundLimit) faults.add(told(problem, `round ${round} is one too many`));
      if (readTerminated(message).isTruncated) faults.add(told(problem, `“${message}” has no end`));
    }
    if (said.length === 0) faults.add(told(problem, 'nothing is demonstrated'));
  }
  return few(faults);
}

/**
 * Returns a function that counts the tokens of a text. If the tokens do not decode to the same text, this is added to
 * the faults.
 */
function sizesBy(tokenizer: Tokenizer, faults: Set<string>): (text: string) => number {
  const known = new Map<string, number>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const ids = tokenizer.encode(text);
    if (tokenizer.decode(ids) !== text) faults.add(`“${text}” reads back as “${tokenizer.decode(ids)}”`);
    known.set(text, ids.length);
    return ids.length;
  };
}

/** Checks that the ceiling is between 0 and 1, and that it is never lower for an agent that sees more hidden texts. */
export function faultsOfCeilings({ world, level }: WorldTrial): string[] {
  const names = world.hidden.map(({ name }) => name);
  const subsets = Array.from({ length: 2 ** names.length }, (_, code) =>
    names.filter((__, i) => (code >> i) % 2 === 1),
  );
  return few(
    subsets.flatMap((sees) => {
      const ceiling = world.ceiling(level, sees);
      const isShare = ceiling >= 0 && ceiling <= 1;
      const more = names.filter((name) => !sees.includes(name));
      const lower = more.filter((name) => world.ceiling(level, [...sees, name]) < ceiling);
      return [
        ...(isShare ? [] : [`ceiling of [${sees.join()}] is ${ceiling}`]),
        ...lower.map((name) => `[${sees.join()}] knows more without ${name}`),
      ];
    }),
  );
}

/** Checks that the solver's dialogue is right for every problem. */
export async function faultsOfSolver({ world, level, protocols, problems }: WorldTrial): Promise<string[]> {
  const faults: string[] = [];
  const draws = new Draws(5, streams.demonstrations, level);
  for (const [i, problem] of problems.slice(0, solvedCount).entries()) {
    const protocol = protocols[i % protocols.length] as Protocol;
    const rounds = world.limits(level, protocol).roundLimit;
    const said = spokenIn(protocol, world.demonstrate(problem, draws, { ...solver, rounds }, protocol));
    const messages = await answered(world, problem, said);
    const assessment = await world.assess(problem, messages, protocol);
    const wrote = `${protocol.name} ${asText(messages.map(({ text }) => text))}`;
    if (!assessment.isRight || assessment.answer === null) faults.push(told(problem, `${wrote} is not right`));
    faults.push(...faultsOfAssessment(world, messages, assessment).map((fault) => told(problem, fault)));
    if (protocol.hasSteps) continue;
    const last = messages.findLast(({ agent }) => protocol.answerFrom === 'majority' || agent === protocol.answerFrom);
    const { isRight, score } = last ? await world.judge(problem, last) : { isRight: false, score: 0 };
    if (!isRight || score !== 1) faults.push(told(problem, `${wrote} is judged wrong`));
  }
  return few(faults);
}

const spokenIn = ({ roles: cast }: Protocol, said: readonly Demonstrated[]): Utterance[] =>
  said.map(({ agent, message }) => ({ ...readTerminated(message), agent, role: cast[agent] ?? 'reasoning' }));

/** The messages with the world's reply to each. The list ends where the world ends the dialogue. */
async function answered(world: World, problem: Problem, messages: readonly Utterance[]): Promise<Utterance[]> {
  if (!world.react) return [...messages];
  let newest: Reaction | undefined = await world.open?.(problem);
  const out: Utterance[] = [];
  for (const message of messages) {
    if (newest?.isOver) break;
    newest = await world.react(problem, structuredClone(newest?.state ?? null), message);
    out.push({ ...message, reaction: newest });
  }
  return out;
}

/** Checks that each reward part of every turn is declared and is between 0 and 1. */
function faultsOfAssessment(world: World, messages: readonly Utterance[], assessment: Assessment): string[] {
  const { perTurn, potentials, prospect = 0 } = assessment;
  const declared = partsOf(world).map(({ name }) => name);
  const parts = perTurn.flatMap((turn) => Object.entries(turn.parts));
  const odd = parts.filter(([name, worth]) => !declared.includes(name) || !(worth >= 0 && worth <= 1));
  return [
    ...(perTurn.length === messages.length ? [] : [`${perTurn.length} of ${messages.length} turns are assessed`]),
    ...(potentials.length === messages.length + 1 ? [] : [`there are ${potentials.length} potentials`]),
    ...([...potentials, prospect].every((phi) => phi >= 0 && phi <= 1) ? [] : ['a potential is not in [0, 1]']),
    ...odd.map(([name, worth]) => `a turn has ${worth} of ${name}`),
  ];
}

/** Checks that messages of random tokens, with and without a terminator, are accepted and get a reward. */
export async function faultsOfRandomTokens({ world, level, protocols, problems }: WorldTrial): Promise<string[]> {
  const faults: string[] = [];
  const draws = new Draws(6, streams.control, level);
  const vocabularies = Object.values(world.tokenizers).map(tokenizerOf);
  for (const [i, problem] of problems.slice(0, randomCount).entries()) {
    const protocol = protocols[i % protocols.length] as Protocol;
    const count = draws.below(7);
    const messages = Array.from({ length: count }, (_, at) => randomMessage(draws, protocol, { vocabularies, at }));
    const heard = await answered(world, problem, messages);
    const assessment = await world.assess(problem, heard, protocol, draws.below(2) === 0);
    faults.push(...faultsOfAssessment(world, heard, assessment).map((fault) => told(problem, fault)));
    for (const message of heard) {
      const { isRight, score } = await world.judge(problem, message);
      if (!(score >= 0 && score <= 1) || (isRight && score < 1)) faults.push(told(problem, `a score is ${score}`));
    }
  }
  return few(faults);
}

/** All reasons that occur in dialogues with slips, and in dialogues of random tokens. */
export async function reasonsOf({ world, level, protocols, problems }: WorldTrial): Promise<Reason[]> {
  const found = new Map<string, Reason>();
  const draws = new Draws(7, streams.control, level);
  const vocabularies = Object.values(world.tokenizers).map(tokenizerOf);
  for (const [i, problem] of problems.entries()) {
    const protocol = protocols[i % protocols.length] as Protocol;
    const rounds = world.limits(level, protocol).roundLimit;
    const talks = [
      spokenIn(protocol, world.demonstrate(problem, draws, { ...slipping, rounds }, protocol)),
      Array.from({ length: draws.below(7) }, (_, at) => randomMessage(draws, protocol, { vocabularies, at })),
    ];
    for (const talk of talks) {
      const { perTurn } = await world.assess(problem, await answered(world, problem, talk), protocol);
      for (const { reason } of perTurn) found.set(JSON.stringify(reason), reason);
    }
  }
  return [...found.values()];
}

function randomMessage(
  draws: Draws,
  { roles: cast }: Protocol,
  { vocabularies, at }: { vocabularies: readonly Tokenizer[]; at: number },
): Utterance {
  const tokenizer = draws.pick(vocabularies);
  const ids = Array.from({ length: draws.below(12) }, () => draws.below(tokenizer.vocabSize));
  const agent = at % cast.length;
  const ends = { isFinish: draws.next() < 0.2, isTruncated: draws.next() < 0.2 };
  return { role: cast[agent] ?? 'reasoning', agent, text: tokenizer.decode(ids), ...ends };
}

/** Defines the tests of a world under the given protocols, with `count` problems for each level. */
export function battery(world: World, protocols: readonly ProtocolName[], count = drawnCount): void {
  describe.each(world.levels.map(({ level }) => level))(`${world.label}, level %i`, (level) => {
    let made: WorldTrial | undefined;
    const trial = () => (made ??= trialOf(world, level, protocols, count));

    it('draws the same problems from the same seed', () => expect(faultsOfDrawing(trial())).toEqual([]));
    it('keeps what is held out apart from what is trained', () => expect(faultsOfSplits(trial())).toEqual([]));
    it('is written in its vocabulary and fits its limits', () => expect(faultsOfTexts(trial())).toEqual([]));
    it('has ceilings that rise with what is seen', () => expect(faultsOfCeilings(trial())).toEqual([]));
    it('is solved by its solver', async () => expect(await faultsOfSolver(trial())).toEqual([]));
    it('takes any tokens', async () => expect(await faultsOfRandomTokens(trial())).toEqual([]));
  });
  it('has the special tokens of all roles, and as many as it says', () =>
    expect(faultsOfVocabularies({ world })).toEqual([]));
}

// The exports that make a module a world, and the values they may return. Both are read and checked here, so any other
// value causes an error that names the place where it was returned. Texts consist of words separated by blanks, and the
// module must declare all of these words.
import * as v from 'valibot';
import { ConfigError, SandboxError } from '../../base/errors.ts';
import { shortened } from '../../base/quote.ts';
import type { Draws } from '../../base/random.ts';
import { msg, spoken } from '../../base/spoken.ts';
import { ownWeightBounds } from '../../config/field.ts';
import { protocolNames } from '../../config/protocols/registry.ts';
import { mostLevels, partsOf, type WorldForm } from '../../config/worlds/form.ts';
import { specialTokens } from '../../text/lexicon.ts';
import {
  openRoom,
  type Fault,
  type SandboxLimits,
  type SandboxResult,
  type SandboxModule,
} from '../../sandbox/sandbox.ts';

const text = v.string();
const count = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(1024));
const share = v.pipe(v.number(), v.minValue(0), v.maxValue(1));
const agent = v.pipe(v.number(), v.integer(), v.minValue(0));

const commonNames = partsOf({ parts: [] }).map(({ name }) => name);
const partName = v.pipe(
  text,
  v.check((name) => !commonNames.includes(name) && !(name in Object.prototype), 'a name that is not taken'),
);
const weight = v.pipe(v.number(), v.minValue(ownWeightBounds.min), v.maxValue(ownWeightBounds.max));

/** `export const about`: the facts about the world that must be known before any problem is drawn. */
const aboutSchema = v.object({
  name: v.pipe(text, v.regex(/^[a-z]\w*$/i, 'expected a word')),
  label: text,
  sentence: v.optional(text, ''),
  /** The task of each level, in a few words. */
  levels: v.pipe(v.array(text), v.minLength(1), v.maxLength(mostLevels)),
  /** Private texts by name, with their labels. */
  hidden: v.optional(v.record(text, text), {}),
  /** Reward parts in addition to the right answer, each with its weight and a sentence that describes it. */
  parts: v.optional(v.record(partName, v.object({ sentence: text, weight: v.optional(weight, 0) })), {}),
  /** The slices by which accuracy is reported: names with their labels. */
  slices: v.optional(v.record(text, text), {}),
  words: v.pipe(
    v.array(v.pipe(text, v.regex(/^[^\s<>]+$/, 'expected words without blanks or angle brackets'))),
    v.minLength(1),
    v.transform((words) => [...new Set(words)]),
  ),
  /** Maximum number of words of a prompt, of a turn and of an observation, and maximum number of rounds. */
  room: v.object({ prompt: count, turn: count, observation: v.optional(count), rounds: count }),
  /** The only protocols that the world supports; absent: all protocols whose contexts grow. */
  protocols: v.optional(v.array(v.picklist(protocolNames))),
  /** Whether the module also draws problems for the split `harder`. */
  hasHarder: v.optional(v.boolean(), false),
});
export type About = v.InferOutput<typeof aboutSchema>;

export const drawnSchema = v.object({
  shown: text,
  hidden: v.optional(v.record(text, text), {}),
  answer: text,
  slice: v.optional(text, ''),
  given: v.optional(v.unknown(), null),
});

export const judgedSchema = v.object({
  answer: v.nullable(text),
  /** The score of the answer; absent: 1 for the right answer and 0 for others. */
  score: v.optional(share),
  parts: v.optional(v.record(text, share), {}),
  reason: v.optional(text, ''),
});

export const reactionSchema = v.object({
  observation: v.optional(v.object({ source: text, text, readers: v.optional(v.array(agent)) })),
  state: v.optional(v.unknown(), null),
  isOver: v.optional(v.boolean()),
});

export const saidSchema = v.pipe(
  v.array(v.object({ agent, round: v.optional(agent, 0), text, isFinish: v.optional(v.boolean(), false) })),
  v.minLength(1),
);

/** The limits of one call. */
const limits: SandboxLimits = { steps: 200, timeMs: 5_000, resultLength: 100_000 };

/** Maximum length of the part of a problem or a state that an error quotes. */
const briefly = (value: unknown) => {
  const written = JSON.stringify(value) ?? '';
  return written.length > 300 ? `${written.slice(0, 300)}…` : written;
};

const lineOf = ({ line }: Fault) => (line === null ? '' : spoken` (line ${line})`);

const notRun = (fault: Fault) =>
  new SandboxError(spoken`your world: ${fault.name}: ${fault.message}${lineOf(fault)}.`, fault.line);

/** A module that runs in its sandbox. */
export class WorldModule {
  readonly about: About;
  readonly #room: SandboxModule;
  readonly #functions: readonly string[];

  /** Throws SandboxError if the text cannot be run, ConfigError if it is not a world. */
  static async open(source: string): Promise<WorldModule> {
    const { room, fault } = await openRoom(source, limits);
    if (fault) throw notRun(fault);
    return new WorldModule(room);
  }

  private constructor(room: SandboxModule) {
    this.#room = room;
    this.#functions = (room.functions().value ?? []) as string[];
    const declared = room.value('about');
    if (declared.fault) throw notRun(declared.fault);
    const about = v.safeParse(aboutSchema, declared.value);
    if (!about.success) throw new ConfigError(spoken`your world: ${placed('about', about.issues)}; see its template.`);
    this.about = about.output;
    const missing = ['draw', 'judge'].filter((name) => !this.has(name));
    if (missing.length > 0)
      throw new ConfigError(spoken`${this.about.name}: export a function ${missing.join(spoken`, and one `)}.`);
  }

  has(name: string): boolean {
    return this.#functions.includes(name);
  }

  /**
   * The checked result of a function. Throws SandboxError if the function throws, exceeds the limits or returns an
   * invalid value.
   */
  ask<S extends v.GenericSchema>(name: string, schema: S, ...given: readonly unknown[]): v.InferOutput<S> {
    return this.#read(name, schema, given, this.#room.call(name, ...given));
  }

  /** The checked result of a function that draws; the function's seed is the next random number. */
  draw<S extends v.GenericSchema>(
    name: string,
    schema: S,
    draws: Draws,
    ...given: readonly unknown[]
  ): v.InferOutput<S> {
    return this.#read(name, schema, given, this.#room.draw(name, draws.below(2 ** 24), ...given));
  }

  #read<S extends v.GenericSchema>(
    name: string,
    schema: S,
    given: readonly unknown[],
    outcome: SandboxResult,
  ): v.InferOutput<S> {
    const at = `${this.about.name}: ${name}`;
    const led = spoken`It was called with ${given.map(briefly).join(', ')}.`;
    if (outcome.fault) {
      const { name: error, message, line } = outcome.fault;
      throw new SandboxError(`${at}: ${error}: ${message}${lineOf(outcome.fault)}. ${led}`, line);
    }
    const read = v.safeParse(schema, outcome.value);
    if (!read.success) throw new SandboxError(`${at}: ${placed(spoken`its result`, read.issues)}. ${led}`);
    return read.output;
  }

  /**
   * A text in the form of the vocabulary, in which each word is preceded by a blank. Throws if the text contains words
   * that are not declared, or more words than allowed.
   */
  written(plain: string, where: string, room?: 'prompt' | 'turn'): string {
    const words = plain.split(/\s+/).filter((word) => word !== '');
    const most = room && this.about.room[room];
    if (most !== undefined && words.length > most)
      throw new SandboxError(
        spoken`${this.about.name}: ${where} has ${words.length} words, and about.room.${room ?? ''} is ${most}; raise it, or say less: “${shortened(plain)}”.`,
      );
    const unknown = words.find((word) => !this.about.words.includes(word));
    if (unknown !== undefined)
      throw new SandboxError(
        spoken`${this.about.name}: ${where} says “${unknown}”, which is not among about.words; declare it there.`,
      );
    return words.map((word) => ` ${word}`).join('');
  }
}

/** Describes the place of an invalid value. JSON has no NaN, so NaN arrives as null. */
function placed(what: string, [issue]: readonly v.BaseIssue<unknown>[]): string {
  const place = issue ? v.getDotPath(issue) : null;
  const got = issue?.received === 'null' ? spoken`null, undefined or NaN` : issue?.received;
  return spoken`${place === null ? what : `${what}.${place}`}: expected ${issue?.expected ?? spoken`another form`}, got ${`${got}`}`;
}

/** The texts of such a form that are not the visitor's. */
const ours = { slice: msg('slice'), paidOn: msg('a turn'), words: msg('a token for each word') };

/** The form of the world that a module defines. */
export const formOfModule = (
  { name, label, sentence, levels, hidden, parts, slices, words, protocols }: About,
  named = name,
): WorldForm => ({
  ...{ name: named, label, sentence },
  levels: levels.map((what, i) => ({ level: i + 1, label: what })),
  hidden: Object.entries(hidden).map(([key, what]) => ({ name: key, label: what, sentence: '' })),
  ...(Object.keys(slices).length > 0 && { slices: { label: ours.slice, words: slices } }),
  parts: Object.entries(parts).map(([key, { sentence: what, weight }]) => ({
    ...{
      name: key,
      label: key,
      sentence: what,
      paidOn: ours.paidOn,
      source: name,
      weight,
      ...ownWeightBounds,
    },
  })),
  ...(protocols && { protocols }),
  vocabularies: { words: ours.words },
  told: Object.values(ours).map((key) => ({ key, values: [] })),
  tokens: specialTokens.length + words.length,
});

// Reads a lesson from its file. Each error is reported with its line, column and field; the parts of the lesson without
// errors can still be used.
import * as v from 'valibot';
import type { Node } from 'yaml';
import { ConfigError, FormatError, type Settings } from '../base/errors.ts';
import { quoted, shortened } from '../base/quote.ts';
import { spoken } from '../base/spoken.ts';
import { fieldAt } from '../config/describe.ts';
import { checkedSetting } from '../config/parse.ts';
import { presetConfig } from '../config/presets.ts';
import type { Config } from '../config/schema.ts';
import { PlacedYaml } from '../formats/placedYaml.ts';
import { readRunPart } from '../formats/runFile.ts';
import { checkForms, lessonForms, most, stepForms, type Deed, type Hideable, type LessonPlace } from './lessonForm.ts';
import type { LessonFacts } from './facts.ts';
import { ofLesson, textNames } from './texts.ts';

export interface Bounds {
  above?: number | undefined;
  below?: number | undefined;
}

export type Check =
  | ({ kind: 'measure'; measure: string } & Bounds)
  | { kind: 'typed'; typed: string; within: number }
  /**
   * A choice between answers. If the right answer depends on the run, there is a measure in `asks` instead of `right`:
   * the right answer is “yes” if the value of this measure lies within the bounds.
   */
  | ({ kind: 'choice'; choice: readonly string[]; right?: string | undefined; asks?: string | undefined } & Bounds);

export interface LessonStep {
  name: string;
  points?: LessonPlace | undefined;
  does?: Deed | undefined;
  sets: Settings;
  iterations?: number | undefined;
  checks: readonly Check[];
}

export interface Lesson {
  name: string;
  /** The number of the lesson; absent if it does not ship with the page. */
  number?: number | undefined;
  minutes: number;
  claim?: string | undefined;
  isShown?: boolean | undefined;
  preset: string;
  config: Config;
  hides: readonly Hideable[];
  /** The language of the lesson's own texts, such as `en` or `de-AT`. */
  language?: string | undefined;
  steps: readonly LessonStep[];
  /**
   * The texts of the lesson, by the names that `textNames` returns. If the lesson ships with the page, the texts are in
   * English. Null if the lesson's file contains no texts.
   */
  texts: ReadonlyMap<string, string> | null;
}

type Forms = Readonly<Record<string, v.GenericSchema>>;
type Given<F extends Forms> = { [K in keyof F]: v.InferOutput<F[K]> };

export interface LessonReading {
  /** Null if no part of the lesson can be used. */
  lesson: Lesson | null;
  /** The errors in the lesson, each with its position in the file. */
  problems: Error[];
}

/** Reads a lesson from the text of its file. If the lesson ships with the page, its facts are added. Never throws. */
export function readLesson(name: string, text: string, facts?: LessonFacts): LessonReading {
  const problems: Error[] = [];
  const attempt = <T>(read: () => T): T | null => {
    try {
      return read();
    } catch (thrown) {
      if (!(thrown instanceof FormatError || thrown instanceof ConfigError)) throw thrown;
      problems.push(thrown);
      return null;
    }
  };
  const lesson = attempt(() => new LessonReader(new PlacedYaml(text), attempt).lesson(name, facts));
  return { lesson, problems };
}

/** Reads a visitor's own lesson, which contains its texts. Never throws. */
export function readOwnLesson(text: string): LessonReading {
  const { lesson, problems } = readLesson('own', text);
  if (!lesson || lesson.texts) return { lesson, problems };
  const lacking = spoken`lesson.texts: the texts of the lesson are missing; is this the file of a lesson?`;
  return { lesson: null, problems: [...problems, new FormatError(lacking)] };
}

type Attempt = <T>(read: () => T) => T | null;

class LessonReader {
  readonly #yaml: PlacedYaml;
  readonly #attempt: Attempt;
  /** The names of all steps that have been read, because each name may be used only once. */
  readonly #named = new Set<string>(ofLesson);

  constructor(yaml: PlacedYaml, attempt: Attempt) {
    this.#yaml = yaml;
    this.#attempt = attempt;
  }

  lesson(name: string, facts: LessonFacts | undefined): Lesson | null {
    const read = this.#part(this.#yaml.root, 'lesson', lessonForms);
    if (!read) return null;
    const { given, nodes } = read;
    const { run, steps: _, texts: __, hides = [], ...plain } = given;
    const node = nodes.get('run');
    const start = node && run !== undefined ? this.#attempt(() => readRunPart(this.#yaml, node)) : null;
    const steps = this.#list(nodes.get('steps'), 'steps', (step, what) => this.#step(step, what));
    const said = nodes.get('texts');
    return {
      name,
      ...(facts && { number: facts.number }),
      ...plain,
      hides,
      ...(start ?? { preset: 'quick', config: presetConfig('quick') }),
      steps,
      texts: said ? this.#texts(said, steps, facts) : null,
    };
  }

  /** The texts without errors. If a text that a step needs is missing, this is reported as an error. */
  #texts(node: Node, steps: readonly LessonStep[], facts: LessonFacts | undefined): ReadonlyMap<string, string> {
    const texts = new Map<string, string>(facts && Object.entries({ title: facts.title, aim: facts.aim }));
    const names = textNames(steps);
    const isKnown = new Set(names.map(({ name }) => name));
    for (const [name, part] of this.#attempt(() => this.#yaml.entries(node, 'texts')) ?? [])
      this.#attempt(() => {
        if (!isKnown.has(name))
          throw this.#yaml.formatError(
            part,
            spoken`texts.${shortened(name)}: no step or choice has this name; correct the name, or remove the text.`,
          );
        const text = String(this.#yaml.plain(part, `texts.${name}`) ?? '');
        if (text.length > most.textSigns)
          throw this.#yaml.formatError(
            part,
            spoken`texts.${name}: expected at most ${most.textSigns} characters, got ${text.length}.`,
          );
        texts.set(name, text);
      });
    for (const { name } of names.filter(({ name, isNeeded }) => isNeeded && !texts.get(name)?.trim()))
      this.#attempt(() => {
        throw this.#yaml.formatError(node, spoken`texts.${name}: this text is missing.`);
      });
    return texts;
  }

  #step(node: Node, what: string): LessonStep | null {
    const read = this.#part(node, what, stepForms);
    if (!read) return null;
    const { checks: _, sets = {}, ...plain } = read.given;
    if (this.#named.has(plain.name)) {
      const says = spoken`${what}.name: another step already has the name ${quoted(plain.name)}; give this step another name.`;
      throw this.#yaml.formatError(read.nodes.get('name') ?? node, says);
    }
    this.#named.add(plain.name);
    const place = read.nodes.get('sets') ?? node;
    const checks = this.#list(read.nodes.get('checks'), `${what}.checks`, (one, at) => this.#check(one, at));
    return { ...plain, sets: this.#attempt(() => this.#settings(place, sets)) ?? {}, checks };
  }

  #settings(node: Node, sets: Record<string, unknown>): Settings {
    for (const [path, value] of Object.entries(sets)) {
      if (!fieldAt(path)) throw this.#yaml.configError(node, spoken`${shortened(path)}: there is no such setting.`);
      this.#yaml.checked(node, () => checkedSetting(path, value));
    }
    return sets as Settings;
  }

  #check(node: Node, what: string): Check | null {
    const kinds = Object.keys(checkForms) as (keyof typeof checkForms)[];
    const names = this.#yaml.entries(node, what);
    const kind = kinds.find((one) => names.has(one));
    if (!kind) throw this.#yaml.formatError(node, spoken`${what}: expected one of ${kinds.join(', ')}.`);
    const given = this.#part(node, what, checkForms[kind] as Forms)?.given;
    if (!given) return null;
    const check = { kind, ...given } as Check;
    if (check.kind !== 'choice') return check;
    const options = check.asks === undefined ? check.right : 'yes';
    if (options === undefined || !check.choice.includes(options))
      throw this.#yaml.formatError(node, spoken`${what}.right: expected one of ${check.choice.join(', ')}.`);
    return check;
  }

  /** The items of a list that could be read without errors. */
  #list<T>(node: Node | undefined, what: string, read: (node: Node, what: string) => T | null): T[] {
    if (!node) return [];
    const items = this.#attempt(() => this.#yaml.items(node, what)) ?? [];
    const room = what === 'steps' ? most.steps : most.checks;
    if (items.length > room)
      this.#attempt(() => {
        throw this.#yaml.formatError(
          node,
          spoken`${what}: expected at most ${room}, got ${items.length}; the others are left out.`,
        );
      });
    return items.slice(0, room).flatMap((item, i) => this.#attempt(() => read(item, `${what}.${i + 1}`)) ?? []);
  }

  /** The fields of a mapping that have no errors; null if a required field is missing. */
  #part<F extends Forms>(node: Node, what: string, forms: F): { given: Given<F>; nodes: Map<string, Node> } | null {
    const nodes = this.#yaml.entries(node, what);
    const given: Record<string, unknown> = {};
    for (const [name, part] of nodes) {
      this.#attempt(() => {
        const form = Object.hasOwn(forms, name) ? forms[name] : undefined; // `constructor` is no field
        if (!form) {
          const known = Object.keys(forms).join(', ');
          throw this.#yaml.formatError(
            part,
            spoken`${what}.${shortened(name)}: there is no such field; expected one of ${known}.`,
          );
        }
        const read = v.safeParse(form, this.#yaml.tree(part, name), { abortEarly: true });
        if (read.success) return void (given[name] = read.output);
        const place = this.#yaml.partOf(
          part,
          read.issues[0].path?.map(({ key }) => key as string | number),
        );
        throw this.#yaml.formatError(place, spoken`${what}.${name}: expected ${read.issues[0].message}.`);
      });
    }
    const lacking = Object.entries(forms).filter(
      ([name, form]) => given[name] === undefined && !v.safeParse(form, undefined).success,
    );
    for (const [name] of lacking.filter(([name]) => !nodes.has(name)))
      this.#attempt(() => {
        throw this.#yaml.formatError(node, spoken`${what}.${name}: expected a value, but there is none.`);
      });
    return lacking.length > 0 ? null : { given: given as Given<F>, nodes };
  }
}

// A command of `cothink`: plain data for parsing arguments, printing `--help` and generating docs/cli.md.
import { parseArgs } from 'node:util';
import { ConfigError } from '../src/base/errors.ts';
import { didYouMean } from '../src/base/nearest.ts';
import { readNumber } from '../src/base/typedNumber.ts';

export interface CommandOption {
  /** The name of the option's value in the help; absent if the option has no value. */
  value?: string;
  says: string;
  /** The option may be repeated. */
  isMany?: true;
}

export interface Command {
  name: string;
  /** The text after the command's name in the help, such as `[RUN.yaml]`. */
  takes: string;
  /** Minimum and maximum number of arguments. */
  count: readonly [least: number, most: number];
  says: string;
  options: Readonly<Record<string, CommandOption>>;
  /** Example command lines, each with its effect. */
  examples: readonly (readonly [line: string, does: string])[];
  /** Returns the exit code. Throws named errors for problems that the user can fix. */
  run: (given: CommandArguments) => Promise<number>;
}

/** The arguments of a command. */
export class CommandArguments {
  readonly rest: readonly string[];
  readonly #values: ReadonlyMap<string, readonly string[]>;

  constructor(rest: readonly string[], values: ReadonlyMap<string, readonly string[]>) {
    this.rest = rest;
    this.#values = values;
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  /** All values of an option, in the order in which they were typed. */
  all(name: string): readonly string[] {
    return this.#values.get(name) ?? [];
  }

  /** The last value of an option. */
  text(name: string): string | undefined {
    return this.all(name).at(-1);
  }

  /**
   * The option's value as a whole number. Throws ConfigError if the value is not a whole number of at least `least`.
   */
  whole(name: string, least = 0): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    if (/^\d{1,15}$/.test(text) && Number(text) >= least) return Number(text);
    throw new ConfigError(`--${name}: expected a whole number of at least ${least}, got ${JSON.stringify(text)}.`);
  }

  /** The option's value as a number. Throws ConfigError if the value is not a number. */
  number(name: string): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const value = readNumber(text);
    if (value !== null) return value;
    throw new ConfigError(`--${name}: expected a number, got ${JSON.stringify(text)}.`);
  }

  /** The option's value. Throws ConfigError if this value is not in `known`. */
  oneOf<T extends string>(name: string, known: readonly T[]): T | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const found = known.find((one) => one === text);
    if (found) return found;
    throw new ConfigError(`--${name}: expected one of ${known.join(', ')}, got ${JSON.stringify(text)}.`);
  }
}

/**
 * Parses the arguments after a command's name. Throws ConfigError for unknown options, missing or unexpected values,
 * and a wrong number of arguments.
 */
export function readGiven({ name, options, takes, count }: Command, args: readonly string[]): CommandArguments {
  const known = Object.entries(options).map(([option, { value }]) => [
    option,
    { type: value === undefined ? ('boolean' as const) : ('string' as const) },
  ]);
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(known),
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const values = new Map<string, string[]>();
  const rest: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') rest.push(token.value);
    if (token.kind !== 'option') continue;
    const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined;
    const refuse = (why: string, meant = '') =>
      new ConfigError(`${token.rawName}: ${why}.${meant} cothink ${name} --help lists all options.`);
    if (!option) {
      const known = Object.keys(options).map((one) => `--${one}`);
      throw refuse(`${name} has no such option`, didYouMean(token.rawName, known));
    }
    if (option.value !== undefined && token.value === undefined) throw refuse(`expected ${option.value} after it`);
    if (option.value === undefined && token.value !== undefined) throw refuse('expected no value after it');
    if (token.value === '') throw refuse(`expected ${option.value} after it, got nothing`);
    // The word after the option begins with `--`, so this word is probably another option, and the value is missing.
    if (token.value?.startsWith('--') && !token.inlineValue)
      throw refuse(
        `expected ${option.value} after it, got ${token.value}; if this is the value, write ${token.rawName}=${token.value}`,
      );
    if (values.has(token.name) && !option.isMany) throw refuse('expected once, got it several times');
    values.set(token.name, [...(values.get(token.name) ?? []), token.value ?? '']);
  }
  const [least, most] = count;
  if (rest.length < least || rest.length > most || rest.includes(''))
    throw new ConfigError(
      `${name}: expected ${takes || 'no argument'}, got ${rest.length > 0 ? rest.map((one) => JSON.stringify(one)).join(' ') : 'nothing'}. cothink ${name} --help shows the usage.`,
    );
  return new CommandArguments(rest, values);
}

/** Help of one command. */
export function helpOf({ name, takes, says, options, examples }: Command): string {
  const rows = Object.entries(options).map(
    ([option, { value, says: words }]) => [`--${option}${value === undefined ? '' : ` ${value}`}`, words] as const,
  );
  return [
    `cothink ${[name, takes].filter(Boolean).join(' ')}`,
    `  ${says}`,
    ...(rows.length > 0 ? ['', 'Options', ...inColumns(rows)] : []),
    '',
    'Examples',
    ...examples.flatMap(([line, does]) => [`  ${line}`, `      ${does}`]),
    '',
  ].join('\n');
}

/** Formats a table of two columns, the first as wide as its widest cell. */
export function inColumns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([first]) => first.length));
  return rows.map(([first, second]) => `  ${first.padEnd(width)}  ${second}`);
}

// Makes a module (tasks/contract/worldModule.ts) from a text that runs in the sandbox. Other code treats it like a
// built-in module. Here, arguments and results are passed as plain data, results are checked, and it is recorded how
// many numbers of `random` were used. Every error contains the name of the export, its arguments and the line.
import * as v from 'valibot';
import { ConfigError, FormatError, SandboxError } from '../../base/errors.ts';
import type { AddressedRandom } from '../../base/random.ts';
import { spoken } from '../../base/spoken.ts';
import { openRoom, type Fault, type SandboxLimits, type SandboxModule } from '../../sandbox/sandbox.ts';
import { aboutSchema } from '../contract/about.ts';
import { countingFunctions, drawingFunctions, worldResults } from '../contract/results.ts';
import type { WorldFunction, WorldModule } from '../contract/worldModule.ts';

/** The limits of one call, and the limits of a call that may process many problems. */
const limits: SandboxLimits = { steps: 200, timeMs: 5_000, resultLength: 100_000 };
const countingLimits: SandboxLimits = { steps: 10_000, timeMs: 120_000, resultLength: 2_000_000 };

const required = ['draw', 'judge'] as const;
const tokenizersSchema = v.record(v.string(), v.looseObject({}));

/** The maximum length of a problem or a state in an error message; longer ones are shortened. */
const briefly = (value: unknown) => {
  const written = JSON.stringify(value) ?? '';
  return written.length > 300 ? `${written.slice(0, 300)}…` : written;
};

const lineOf = ({ line }: Fault) => (line === null ? '' : spoken` (line ${line})`);

const notRun = (fault: Fault) =>
  new SandboxError(spoken`your world: ${fault.name}: ${fault.message}${lineOf(fault)}.`, fault.line);

/** Makes the module. Throws SandboxError if the text cannot be run, and ConfigError if it does not define a world. */
export async function moduleInSandbox(source: string): Promise<WorldModule> {
  const { room, fault } = await openRoom(source, limits);
  if (fault) throw notRun(fault);
  const exported = (room.functions().value ?? []) as string[];
  const about = valueOf(room, 'about', aboutSchema);
  const missing = required.filter((name) => !exported.includes(name));
  if (missing.length > 0)
    throw new ConfigError(spoken`${about.name}: export a function ${missing.join(spoken`, and one `)}.`);
  const tokenizers = valueOf(room.within(countingLimits), 'tokenizers', v.nullable(tokenizersSchema));
  const functions = (Object.keys(worldResults) as WorldFunction[]).filter((name) => exported.includes(name));
  const calls = Object.fromEntries(functions.map((name) => [name, callOf(room, name, about.name)]));
  return { about, ...(tokenizers && { tokenizers }), ...(calls as Required<Pick<WorldModule, WorldFunction>>) };
}

/** An exported value. */
function valueOf<S extends v.GenericSchema>(room: SandboxModule, name: string, schema: S): v.InferOutput<S> {
  const declared = room.value(name);
  if (declared.fault) throw notRun(declared.fault);
  const read = v.safeParse(schema, declared.value);
  if (!read.success)
    throw new ConfigError(spoken`your world: ${placed(name, read.issues)}; see the template for worlds.`);
  return read.output;
}

/**
 * Makes a function that calls an export of the module. The call throws SandboxError if the module throws an error,
 * exceeds the limits or returns an invalid value.
 */
function callOf(room: SandboxModule, name: WorldFunction, world: string): (...given: unknown[]) => unknown {
  const within = countingFunctions.includes(name) ? room.within(countingLimits) : room;
  const called = (given: unknown[]) => {
    if (!drawingFunctions.includes(name)) return { given, outcome: within.call(name, ...given) };
    const [random, ...rest] = given as [AddressedRandom, ...unknown[]];
    const outcome = within.draw(name, random.address(), ...rest);
    random.advance(outcome.drawn ?? 0);
    return { given: rest, outcome };
  };
  return (...all) => {
    const { given, outcome } = called(all);
    const led = spoken`It was called with ${given.map(briefly).join(', ')}.`;
    const { fault } = outcome;
    // If `read` throws an Error, the module refuses the typed problem, and the message says why.
    if (fault && name === 'read' && /^(Format)?Error$/.test(fault.name) && fault.cause === 'program')
      throw new FormatError(fault.message);
    if (fault)
      throw new SandboxError(`${world}: ${name}: ${fault.name}: ${fault.message}${lineOf(fault)}. ${led}`, fault.line);
    const read = v.safeParse(worldResults[name], outcome.value);
    if (!read.success) throw new SandboxError(`${world}: ${name}: ${placed(spoken`its result`, read.issues)}. ${led}`);
    return read.output;
  };
}

/** Describes which part of a value is invalid. JSON has no NaN, so NaN arrives as null. */
function placed(what: string, [issue]: readonly v.BaseIssue<unknown>[]): string {
  const place = issue ? v.getDotPath(issue) : null;
  const got = issue?.received === 'null' ? spoken`null, undefined or NaN` : issue?.received;
  return spoken`${place === null ? what : `${what}.${place}`}: expected ${issue?.expected ?? spoken`another form`}, got ${`${got}`}`;
}

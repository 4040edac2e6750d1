// Reads calls and executes them. A call consists of `<tool>` and an argument. The reply to an invalid call is a short
// text; no error is thrown. JavaScript is executed in the sandbox. All other tools are synchronous functions.
import type { ToolName } from './form.ts';
import { toolNames } from './form.ts';
import { runProgram, type SandboxLimits } from '../../../sandbox/sandbox.ts';
import { search } from './knowledge.ts';
import { errors, fileNames, marks, signOf, unknown } from './vocabulary.ts';

export type ToolFiles = Readonly<Record<string, string>>;

/** The data of one problem that the tools read or change. */
export interface Bench {
  base: number;
  shows: number;
  tools: readonly ToolName[];
  files: ToolFiles;
}

export interface ToolCall {
  tool: ToolName;
  given: string;
}

/** A parsed message: a call, an answer (a word or a number), or neither. */
export type ToolMessage = { call: ToolCall } | { answer: string } | null;

const callText = new RegExp(`^<(${toolNames.join('|')})>([^<]*)$`);
const answerText = /^(?: ([A-Za-z]+)|(\d+))$/;

export function readMessage(text: string): ToolMessage {
  const [, tool, given] = callText.exec(text) ?? [];
  if (tool !== undefined && given !== undefined) return { call: { tool: tool as ToolName, given } };
  const [, word, number] = answerText.exec(text) ?? [];
  return word !== undefined || number !== undefined ? { answer: word ?? (number as string) } : null;
}

/**
 * The answer in a message; null if the message is not an answer or if it states that the agent does not know the
 * answer.
 */
export function answerIn(text: string): string | null {
  const read = text === unknown ? null : readMessage(text);
  return read && 'answer' in read ? read.answer : null;
}

/** The result of a call: the texts that were found, or an error, and the state of the files after the call. */
export interface ToolResult {
  found: readonly string[];
  error: string | null;
  files: ToolFiles;
  /** Whether the tool exists and its argument has the right syntax. */
  isWellFormed: boolean;
}

/** The notation of a word or a number in messages, such as ` Rome` and `34`. */
export const saidValue = (value: string) => (/^\d/.test(value) ? value : ` ${value}`);

/** The value in a fact or result: its last word or number; null if the text does not end in a word or number. */
export function valueOf(found: string): string | null {
  const [, value] = /(?:^| )([A-Za-z]+|\d+)\.?$/.exec(found) ?? [];
  return value ?? null;
}

type Sure = (bench: Bench, given: string) => Partial<ToolResult>;

const malformed = { error: errors.malformed, isWellFormed: false };
const orNone = (found: readonly string[]) => (found.length > 0 ? { found } : { error: errors.notFound });

/** A calculation such as `34+7`, with integers small enough to be exact. */
function calculated(given: string): string | null {
  const [, first, sign, second] = /^(\d{1,4})([-+*])(\d{1,4})$/.exec(given) ?? [];
  const [a, b] = [Number(first), Number(second)];
  const result = sign === '+' ? a + b : sign === '-' ? a - b : a * b;
  return sign === undefined ? null : `${result}`;
}

/** The tools that are synchronous functions, which are all tools except JavaScript. */
const sure: Readonly<Record<Exclude<ToolName, 'js'>, Sure>> = {
  search: ({ base, shows }, given) =>
    /^(?: [A-Za-z]+)+$/.test(given) ? orNone(search(base, given, shows)) : malformed,
  read: ({ files }, given) => {
    if (!/^ [A-Za-z]+$/.test(given)) return malformed;
    const content = files[fileIn(given) ?? ''];
    return content === undefined ? { error: errors.noFile } : { found: [saidValue(content)] };
  },
  write: ({ files }, given) => {
    const [, name, value] = /^( [A-Za-z]+),(\d{1,4})$/.exec(given) ?? [];
    if (name === undefined || value === undefined) return malformed;
    const file = fileIn(name);
    if (file === null) return { error: errors.noFile };
    const content = files[file] === undefined ? value : `${files[file]},${value}`;
    return { found: [content], files: { ...files, [file]: content } };
  },
  calc: (_, given) => {
    const result = calculated(given);
    return result === null ? { error: errors.notSum, isWellFormed: false } : { found: [result] };
  },
};

const fileIn = (given: string): string | null => fileNames.find((name) => given === ` ${name}`) ?? null;

const limits: SandboxLimits = { steps: 5, timeMs: 2_000, resultLength: 200 };

/** Runs a program in the sandbox. The program can use each file of numbers as a list with the name of the file. */
async function run({ files }: Bench, given: string): Promise<Partial<ToolResult>> {
  const lists = Object.entries(files).filter(([, content]) => /^[\d,]+$/.test(content));
  const named = lists.map(([name, content]) => `const ${name} = [${content.split(',').map(Number).join()}];`).join('');
  const { value, fault } = await runProgram(`(() => { ${named} return (\n${given}\n); })()`, limits);
  if (fault) return { error: errors.program, isWellFormed: fault.name !== 'SyntaxError' };
  return typeof value === 'number' && Number.isSafeInteger(value) ? { found: [`${value}`] } : { error: errors.program };
}

const complete = ({ files }: Bench, outcome: Partial<ToolResult>): ToolResult => ({
  ...{ found: [], error: null, files, isWellFormed: true },
  ...outcome,
});

const unknownTool = { error: errors.unknownTool, isWellFormed: false };

/** The result of a call. If the call contains a program, it is run in the sandbox. */
export async function outcomeOf(bench: Bench, call: ToolCall | null): Promise<ToolResult> {
  if (call === null) return complete(bench, malformed);
  if (!bench.tools.includes(call.tool)) return complete(bench, unknownTool);
  if (call.tool === 'js') return complete(bench, await run(bench, call.given));
  return complete(bench, sure[call.tool](bench, call.given));
}

/**
 * The result of a call in a demonstration. The result is computed without running the program of the call, because only
 * a few programs occur in demonstrations.
 */
export function knownOutcome(bench: Bench, call: ToolCall): ToolResult {
  if (!bench.tools.includes(call.tool)) return complete(bench, unknownTool);
  if (call.tool !== 'js') return complete(bench, sure[call.tool](bench, call.given));
  const result = calculated(call.given) ?? foldedBy(bench, call.given);
  return complete(bench, result === null ? { error: errors.program } : { found: [result] });
}

/**
 * The programs that questions may require, with a function that computes the result of each: the largest number, the
 * smallest number and the sum of a file.
 */
export const folds = {
  largest: { program: (file: string) => `Math.max(... ${file})`, of: (all: readonly number[]) => Math.max(...all) },
  smallest: { program: (file: string) => `Math.min(... ${file})`, of: (all: readonly number[]) => Math.min(...all) },
  sum: {
    program: (file: string) => ` ${file}.reduce((a,b)=>a+b)`,
    of: (all: readonly number[]) => all.reduce((a, b) => a + b, 0),
  },
} as const;
export type FoldName = keyof typeof folds;
export const foldNames = Object.keys(folds) as FoldName[];

function foldedBy({ files }: Bench, given: string): string | null {
  for (const file of fileNames) {
    const fold = foldNames.find((name) => folds[name].program(file) === given);
    const content = files[file];
    if (fold && content !== undefined && /^\d+(?:,\d+)*$/.test(content))
      return `${folds[fold].of(content.split(',').map(Number))}`;
  }
  return null;
}

/** The text of a call. */
export const written = ({ tool, given }: ToolCall) => `${signOf(tool)}${given}`;

/** The text of a call's result that the agent sees. The text ends with the number of calls that are left. */
export const shownOf = ({ found, error }: ToolResult, left: number): string =>
  `${error === null ? marks.result + found.join('') : marks.error + error}${marks.left}${left}<eot>`;

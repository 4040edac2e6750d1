// Grades a solution: runs it in the sandbox on the calls whose results were calculated by hand and on random calls, and
// compares the results. If a known mistake gives the same results for all calls, that mistake is reported.
import { Draws, streams } from '../base/random.ts';
import { runProgram, type SandboxLimits } from '../sandbox/sandbox.ts';
import { programOf, type Exercise, type Grade, type Miss, type WorkedCase } from './exercise.ts';

/** The maximum error of a number; the results calculated by hand have six decimals. */
const tolerance = 1e-4;
/**
 * The number of random calls. Because of these calls, a solution cannot pass by containing the results that were
 * calculated by hand.
 */
const drawnCalls = 6;
const limits: SandboxLimits = { steps: 20, timeMs: 2_000, resultLength: 50_000 };

/**
 * Makes random calls that resemble those calculated by hand: lists have the same lengths, and whole numbers (turns)
 * keep their values.
 */
function drawnLike(exercise: Exercise): unknown[][] {
  const draws = new Draws(1, streams.control, 0);
  const near = (value: unknown): unknown => {
    if (Array.isArray(value))
      return exercise.takes.includes('turns') && value.every(Number.isInteger) ? value : value.map(near);
    const number = value as number;
    return number + (number > 0 && number < 1 ? -0.5 * number * draws.next() : draws.next() - 0.5);
  };
  return Array.from({ length: drawnCalls }, (_, i) => {
    const like = exercise.worked[i % exercise.worked.length] as WorkedCase;
    return like.given.map(near);
  });
}

/** The results of a program for all calls, as plain data. */
async function outcomes(exercise: Exercise, program: string, calls: readonly (readonly unknown[])[]) {
  const asked = `${program}\n;${JSON.stringify(calls)}.map((given) => ${exercise.calls}(...given))`;
  return runProgram(asked, limits);
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);

/** The position and the size of the error in the result of a call; null if the result is right. */
function missOf(call: WorkedCase, got: unknown): Pick<Miss, 'at' | 'off'> | null {
  const wanted = listOf(call.expected) as number[];
  const found = listOf(got);
  const isShaped = Array.isArray(call.expected)
    ? Array.isArray(got) && found.length === wanted.length
    : typeof got === 'number';
  if (!isShaped) return { at: null, off: null };
  const at = wanted.findIndex((number, i) => !(Math.abs((found[i] as number) - number) <= tolerance));
  if (at < 0 && found.every((one) => typeof one === 'number')) return null;
  const wrong = at < 0 ? found.findIndex((one) => typeof one !== 'number') : at;
  const number = found[wrong];
  return { at: wrong + 1, off: typeof number === 'number' ? number - (wanted[wrong] as number) : null };
}

const isSame = (a: unknown, b: unknown): boolean =>
  JSON.stringify(a) === JSON.stringify(b) ||
  (Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((one, i) => isSame(one, b[i]))) ||
  (typeof a === 'number' && typeof b === 'number' && Math.abs(a - b) <= tolerance);

/** Grades a program, which may be any text. Throws SandboxError if the interpreter cannot be loaded. */
export async function grade(exercise: Exercise, program: string): Promise<Grade> {
  const drawn = drawnLike(exercise);
  const calls = [...exercise.worked.map(({ given }) => given), ...drawn];
  const { value, fault } = await outcomes(exercise, program, calls);
  if (fault) return { isRight: false, fault };
  const right = (await outcomes(exercise, programOf(exercise, exercise.solution), drawn))
    .value as WorkedCase['expected'][];
  const all: WorkedCase[] = [...exercise.worked, ...drawn.map((given, i) => ({ given, expected: right[i] ?? 0 }))];
  const got = value as unknown[];
  for (const [i, worked] of all.entries()) {
    const miss = missOf(worked, got[i]);
    if (!miss) continue;
    return {
      isRight: false,
      miss: { call: i + 1, ...worked, got: got[i], ...miss },
      mistake: await mistakeOf(exercise, calls, got),
    };
  }
  return { isRight: true };
}

/** The known mistake that gives the same results on every call; null if there is none. */
async function mistakeOf(
  exercise: Exercise,
  calls: readonly (readonly unknown[])[],
  got: unknown,
): Promise<string | null> {
  for (const [name, body] of Object.entries(exercise.mistakes)) {
    const { value } = await outcomes(exercise, programOf(exercise, body), calls);
    if (isSame(value, got)) return name;
  }
  return null;
}

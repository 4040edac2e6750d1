// An exercise: a function to be written, the numbers worked out by hand that it must give, and the mistakes that are
// often made, each as a program, so that a wrong solution is told by what it does and not by how it is written.
import { formulaLine } from '../config/sections/ownFormula.ts';
import type { Fault } from '../sandbox/sandbox.ts';

/** A call of the function, and what it gives: a number, or a list of them. */
export interface WorkedCase {
  given: readonly unknown[];
  expected: number | readonly number[];
}

export interface Exercise {
  /** As the texts of the message files name it: `exercise.NAME.title`. */
  name: string;
  /** The function's own name, and its arguments. */
  calls: string;
  takes: readonly string[];
  /** Where the formula is from. */
  source: string;
  worked: readonly WorkedCase[];
  /** The body of a right solution, and of wrong ones by the names that their hints have: `exercise.NAME.hint.MISTAKE`. */
  solution: string;
  mistakes: Readonly<Record<string, string>>;
}

/** The first call on which a solution is wrong. */
export interface Miss {
  /** From 1; calls after the worked ones are drawn. */
  call: number;
  given: readonly unknown[];
  expected: number | readonly number[];
  /** The value that came; null where that is no number, or no list of them. */
  got: unknown;
  /** Place in the list, from 1, and by how much it is off; null where it is no list of as many numbers, or no number. */
  at: number | null;
  off: number | null;
}

export type Grade =
  | { isRight: true }
  | { isRight: false; fault: Fault }
  /** `mistake`: the known one that does the same; null where none does. */
  | { isRight: false; miss: Miss; mistake: string | null };

/** The program of a body. */
export const programOf = ({ calls, takes }: Exercise, body: string): string =>
  `function ${calls}(${takes.join(', ')}) {\n${body}\n}\n`;

/** The start of a file to hand in, and the function to be written. */
export const starterOf = (exercise: Exercise): string =>
  `${formulaLine(exercise.name)}\n${programOf(exercise, '  // Write it here.')}`;

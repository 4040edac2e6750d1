// In an exercise, the visitor writes a function. An exercise contains calls of the function, with results that were
// calculated by hand, and common mistakes. Each mistake is a program, so a mistake is recognised by the results of a
// solution and not by its text.
import { formulaLine } from '../config/sections/ownFormula.ts';
import type { Fault } from '../sandbox/sandbox.ts';

/** A call of the function and its result: a number or a list of numbers. */
export interface WorkedCase {
  given: readonly unknown[];
  expected: number | readonly number[];
}

export interface Exercise {
  /** The exercise's name in the message files: `exercise.NAME.title`. */
  name: string;
  /** The name and the arguments of the function. */
  calls: string;
  takes: readonly string[];
  /** The publication from which the formula comes. */
  source: string;
  worked: readonly WorkedCase[];
  /**
   * The body of a correct solution, and the bodies of wrong solutions, by the names of the hints for them:
   * `exercise.NAME.hint.MISTAKE`.
   */
  solution: string;
  mistakes: Readonly<Record<string, string>>;
}

/** The first call for which a solution returns a wrong result. */
export interface Miss {
  /**
   * The number of the call, starting at 1. The first calls are those calculated by hand; the calls after them are
   * random.
   */
  call: number;
  given: readonly unknown[];
  expected: number | readonly number[];
  /** The returned value; null if it is neither a number nor a list of numbers. */
  got: unknown;
  /**
   * The position of the error in the list, starting at 1, and its size. Both are null if the result is neither a number
   * nor a list of the expected length.
   */
  at: number | null;
  off: number | null;
}

export type Grade =
  | { isRight: true }
  | { isRight: false; fault: Fault }
  /** `mistake` is the name of the known mistake that gives the same results; null if there is none. */
  | { isRight: false; miss: Miss; mistake: string | null };

/** The complete program with a function body that the visitor has written. */
export const programOf = ({ calls, takes }: Exercise, body: string): string =>
  `function ${calls}(${takes.join(', ')}) {\n${body}\n}\n`;

/** The initial text of a solution file: its marker line, and the function to be written. */
export const starterOf = (exercise: Exercise): string =>
  `${formulaLine(exercise.name)}\n${programOf(exercise, '  // Write it here.')}`;

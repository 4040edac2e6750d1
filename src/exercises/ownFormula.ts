// A formula that a visitor has written, as it is used in training. The formula is opened once and then called with
// plain numbers. No state is kept between calls, so a run always gives exactly the same numbers, and an error message
// can show the call that failed.
import { SandboxError } from '../base/errors.ts';
import { shortened } from '../base/quote.ts';
import { spoken } from '../base/spoken.ts';
import { formulaFactsIn } from '../config/sections/ownFormula.ts';
import { openRoom, type Fault, type SandboxLimits, type SandboxModule } from '../sandbox/sandbox.ts';

/** The limits of one call. */
const limits: SandboxLimits = { steps: 100, timeMs: 2_000, resultLength: 500_000 };
const way = () =>
  spoken`The run stays at its newest checkpoint; correct the function, then start the run or the comparison again.`;
const place = 'learning.ownFormula';

export class OwnFormula {
  readonly #room: SandboxModule;
  readonly #calls: string;

  /** Opens a formula. Throws SandboxError if the text cannot be run, or has no function with the required name. */
  static async open(text: string): Promise<OwnFormula> {
    const { calls = 'advantages' } = formulaFactsIn(text) ?? {};
    // The export is on a separate line, because the last line of the text may be a comment.
    const { room, fault } = await openRoom(`${text}\nexport { ${calls} };`, limits);
    if (fault) throw new SandboxError(`${place}: ${inWords(fault)}. ${way()}`, fault.line);
    return new OwnFormula(room, calls);
  }

  private constructor(room: SandboxModule, calls: string) {
    this.#room = room;
    this.#calls = calls;
  }

  /**
   * Calls the formula and returns one finite number for each number in the argument `of`, which is a list. Throws
   * SandboxError, whose message contains the call, if the function throws, takes too long or returns anything else.
   */
  list(of: readonly number[], ...given: readonly unknown[]): number[] {
    const { value, fault } = this.#room.call(this.#calls, of, ...given);
    const refuse = (says: string, line: number | null = null) => {
      const call = [of, ...given].map((one) => JSON.stringify(one)).join(', ');
      return new SandboxError(`${place}: ${this.#calls}(${shortened(call)}) ${says}. ${way()}`, line);
    };
    if (fault) throw refuse(spoken`failed: ${inWords(fault)}`, fault.line);
    if (!Array.isArray(value) || value.length !== of.length)
      throw refuse(
        spoken`should return a list of ${of.length} numbers, but returned ${shortened(JSON.stringify(value))}`,
      );
    // Results leave the sandbox as JSON, in which numbers such as infinity become null.
    const wrong = value.findIndex((one) => typeof one !== 'number');
    if (wrong >= 0) throw refuse(spoken`returned a value at position ${wrong + 1} that is not a finite number`);
    return value as number[];
  }
}

const inWords = ({ cause, name, message, line }: Fault): string =>
  `${cause === 'program' ? `${name}: ` : ''}${message}${line === null ? '' : spoken` (line ${line})`}`;

/** The newest formula, which is stored because a run calls the same formula many times. */
let newest: { text: string; formula: Promise<OwnFormula> } | null = null;

/**
 * The formula in a run's settings, which is opened on first use; undefined if the settings contain no formula. Throws
 * the same errors as `OwnFormula.open`.
 */
export async function ownFormulaOf({
  learning,
}: {
  learning: { ownFormula: string };
}): Promise<OwnFormula | undefined> {
  const text = learning.ownFormula;
  if (text === '') return undefined;
  if (newest?.text !== text) newest = { text, formula: OwnFormula.open(text) };
  return newest.formula;
}

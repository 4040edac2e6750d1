// A problem that a visitor asks for: typed, where the world reads such, or the one of a number.
import { FormatError } from '../../base/errors.ts';
import { spoken } from '../../base/spoken.ts';
import { Draws, streams } from '../../base/random.ts';
import type { Config } from '../../config/schema.ts';
import type { AskedProblem } from '../../records/intervention.ts';
import type { Problem } from '../../records/problem.ts';
import { worldOf } from '../../tasks/registry.ts';

/** The problem in the world of these settings. Throws FormatError, in words, for a typed one that cannot be asked. */
export function askProblem(config: Config, asked: AskedProblem): Problem {
  const world = worldOf(config);
  if ('number' in asked)
    return world.draw(asked.level, new Draws(asked.number, streams.control, asked.level), 'heldOut');
  if (!world.read)
    throw new FormatError(spoken`${world.label}: a problem cannot be typed here; draw one by its number.`);
  return world.read(asked, asked.level);
}

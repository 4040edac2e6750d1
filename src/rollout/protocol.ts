// A protocol is data: who there is, who speaks in what order, who may end it. The turn loop in
// `dialogue.ts` is the only code that runs it.
import type { Role } from '../records/ids.ts';

export interface Protocol {
  /** As what each agent speaks, by agent. */
  roles: readonly Role[];
  /** A round: sets of agents that speak at once, in order. */
  round: readonly (readonly number[])[];
  /** Agent whose finish token ends the dialogue; null: it ends with its last round. */
  finisher: number | null;
  /** Text that opens a turn of a role, as context before its first sampled token. */
  headers: Record<Role, string>;
}

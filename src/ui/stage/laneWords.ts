// The lanes of a dialogue in words: who each agent is, what it does, and what it may see.
import type { Member } from '../../records/cast.ts';
import type { Role } from '../../records/ids.ts';
import { agentName, roleWords, type Tone } from '../words.ts';

export interface Lane {
  name: string;
  tone: Tone;
  /** Beside the name. */
  does: string;
  /** Stands in the lane before the first dialogue. */
  ghost: string;
}

/** Whether a planner and a reasoner take turns, as against turns that are answers. */
export const isPlanned = (cast: readonly Member[]) => cast[0]?.role === 'metaThinking';

/** One lane an agent. */
export function lanesOf(cast: readonly Member[]): Lane[] {
  const roles = cast.map(({ role }) => role);
  return cast.map((member, agent) => ({
    name: agentName(agent, roles),
    tone: roleWords[member.role].tone,
    does: does(member, cast),
    ghost: ghost(member, cast),
  }));
}

function does({ role, seesRule }: Member, cast: readonly Member[]): string {
  if (isPlanned(cast)) return roleWords[role].does;
  if (cast.length === 1 && seesRule) return 'sees everything and answers alone';
  return seesRule ? 'sees the rule' : 'does not see the rule';
}

function ghost({ role, seesRule }: Member, cast: readonly Member[]): string {
  if (role === 'metaThinking') return 'Sees the rule, and says what to do next.';
  if (isPlanned(cast)) return 'Never sees the rule, and does what the plan says.';
  if (cast.length === 1 && seesRule) return 'Sees the problem and its rule, and answers in one turn.';
  const words = role === 'reasoning' ? 'answers alone' : roleWords[role].does;
  return `${seesRule ? 'Sees the rule' : 'Never sees the rule'}, and ${words}.`;
}

/** What a team does with a problem, in one sentence around the words “house rule”. */
export function premiseOf(cast: readonly Member[]): { before: string; after: string } {
  if (isPlanned(cast))
    return {
      before: 'Two agents, one sum: only the planner sees the',
      after: ' and says what to do next; the reasoner does it.',
    };
  const seeing = cast.filter(({ seesRule }) => seesRule).length;
  if (cast.length === 1)
    return seeing === 1
      ? { before: 'One agent sees a sum and the', after: ' by which it is to be read, and answers alone.' }
      : { before: 'One agent answers alone, and does not see the', after: ' by which the sum is to be read.' };
  const work = teamWork[cast.at(-1)?.role ?? 'reasoning'];
  const who =
    seeing === cast.length
      ? 'all see'
      : seeing === 0
        ? 'nobody sees'
        : `${seeing} of ${cast.length} ${seeing === 1 ? 'sees' : 'see'}`;
  return { before: `${work}; ${who} the`, after: ' by which the sum is to be read.' };
}

/** What a team does whose last member has this role. */
const teamWork: Record<Role, string> = {
  metaThinking: 'All plan',
  reasoning: 'All answer alone, and the most common answer is the team’s',
  pioneer: 'All answer',
  observer: 'The pioneer answers, the observer reads it and gives the team’s answer',
  debater: 'All answer at once, read each other and answer again',
  summariser: 'The members answer alone, the leader reads them and gives the team’s answer',
};

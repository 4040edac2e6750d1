// The lanes of a dialogue in words: who each agent is, what it does, and what it may see.
import type { ProtocolFacts } from '../../config/protocolFacts.ts';
import type { HiddenText, WorldForm } from '../../config/worlds/form.ts';
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

/** The hidden texts in words: `the rule`, `the map and the list`. */
const named = (texts: readonly HiddenText[]) => texts.map(({ label }) => label).join(' and ');

/** What an agent sees of what is hidden: `sees the rule`, `never sees the rule`, `sees the map, never the list`. */
function sight({ sees, seesNot }: Member, never: string): string {
  if (sees.length === 0) return seesNot.length === 0 ? 'sees everything' : `${never} ${named(seesNot)}`;
  return `sees ${named(sees)}${seesNot.length > 0 ? `, never ${named(seesNot)}` : ''}`;
}

/** A text that nobody sees as a whole: one reads it piece by piece and takes notes, the other, or the same, answers from them. */
const isRead = (cast: readonly Member[]) =>
  (isPlanned(cast) || cast.length === 1) && cast.every(({ sees, seesNot }) => sees.length === 0 && seesNot.length > 0);

function does(member: Member, cast: readonly Member[]): string {
  if (isRead(cast) && cast.length === 1) return 'reads, takes notes and answers';
  if (isRead(cast)) return member.role === 'metaThinking' ? 'reads and takes notes' : 'answers from the notes';
  if (isPlanned(cast)) return roleWords[member.role].does;
  if (cast.length === 1 && member.seesNot.length === 0) return 'sees everything and answers alone';
  return sight(member, 'does not see');
}

function ghost(member: Member, cast: readonly Member[]): string {
  const { role, sees, seesNot } = member;
  const seen = sight(member, 'never sees');
  const capital = seen.charAt(0).toUpperCase() + seen.slice(1);
  if (isRead(cast)) return `${capital} as a whole, and ${does(member, cast)}.`;
  if (role === 'metaThinking') return `${capital}, and says what to do next.`;
  if (isPlanned(cast)) return `${capital}, and does what the plan says.`;
  if (cast.length === 1 && seesNot.length === 0) {
    const what = sees.length > 0 ? ` and ${named(sees).replace(/^the /, 'its ')}` : '';
    return `Sees the problem${what}, and answers alone.`;
  }
  return `${capital}, and ${role === 'reasoning' ? 'answers alone' : roleWords[role].does}.`;
}

/** What several private texts are called together, and what they are. */
const together = (texts: readonly HiddenText[]): Premise['hidden'] =>
  texts.length > 0 ? { label: named(texts), sentence: texts.map(({ sentence }) => sentence).join(' ') } : null;

/** Of a planner and a reasoner, each with what it alone sees. */
function planned(cast: readonly Member[]): Premise {
  const [planner, reasoner] = cast;
  if (isRead(cast)) {
    const after = ' as a whole; one reads and takes notes, the other answers from them.';
    return { before: 'Two agents, one problem: nobody sees', hidden: together(planner?.seesNot ?? []), after };
  }
  const own = reasoner?.sees.filter((text) => planner?.seesNot.includes(text)) ?? [];
  const work = own.length > 0 ? `the reasoner, who alone sees ${named(own)}, does it.` : 'the reasoner does it.';
  const hidden = together(planner?.sees.filter((text) => reasoner?.seesNot.includes(text)) ?? []);
  const before = `Two agents, one problem: ${hidden ? 'only the planner sees' : `the planner says what to do next; ${work}`}`;
  return { before, hidden, after: hidden ? ` and says what to do next; ${work}` : '' };
}

export interface Premise {
  before: string;
  /** What is hidden, in words and in a sentence; null where nothing is. */
  hidden: { label: string; sentence: string } | null;
  after: string;
}

/** What a team does with a problem, in one sentence around what is hidden from some of it. */
export function premiseOf(cast: readonly Member[], { round, needsTools }: ProtocolFacts): Premise {
  const texts = cast[0] ? [...cast[0].sees, ...cast[0].seesNot] : [];
  const hidden = together(texts);
  const said = (before: string, after: string, without: string): Premise =>
    hidden ? { before, hidden, after } : { before: without, hidden, after: '' };
  if (isPlanned(cast)) return planned(cast);
  const seeing = cast.filter(({ sees, seesNot }) => sees.length > 0 && seesNot.length === 0).length;
  if (isRead(cast)) return said('One agent reads and takes notes, then answers; it never sees', ' as a whole.', '');
  if (cast.length === 1 && needsTools)
    return said(
      'One agent sees a problem and',
      ', and calls tools until it answers.',
      'One agent calls tools until it answers.',
    );
  if (cast.length === 1)
    return seeing === 1
      ? said('One agent sees a problem and', ', and answers alone.', '')
      : said('One agent answers alone, and does not see', '.', 'One agent answers alone.');
  const role = cast.at(-1)?.role ?? 'reasoning';
  const isInTurn = role === 'debater' && round([...cast.keys()]).length > 1;
  const work = isInTurn ? 'They speak in turn, each hearing the other' : teamWork[role];
  const who =
    seeing === cast.length
      ? 'all see'
      : seeing === 0
        ? cast.some(({ sees }) => sees.length > 0)
          ? 'no agent sees both'
          : 'nobody sees'
        : `${seeing} of ${cast.length} ${seeing === 1 ? 'sees' : 'see'}`;
  return said(`${work}; ${who}`, '.', `${work}.`);
}

/** The same of problems from several worlds: what the team does, and the hidden texts of each. */
export function premiseAmong(
  worlds: readonly Pick<WorldForm, 'label' | 'hidden'>[],
  cast: readonly Member[],
  facts: ProtocolFacts,
): Premise {
  const sightless = cast.map(({ role }) => ({ role, sees: [], seesNot: [] }));
  const { before } = premiseOf(sightless, facts);
  const texts = worlds.flatMap(({ label: world, hidden }) =>
    hidden.map(({ label, sentence }) => `${world}, ${label}: ${sentence}`),
  );
  return {
    before: `${before.replace(/\.$/, '')}, in`,
    hidden: { label: worlds.map(({ label }) => label).join(' and '), sentence: texts.join(' ') },
    after: '.',
  };
}

/** What a team does whose last member has this role. */
const teamWork: Record<Role, string> = {
  metaThinking: 'All plan',
  reasoning: 'All answer alone, and the most common answer is the team’s',
  pioneer: 'All answer',
  observer: 'The pioneer answers, the observer reads it and gives the team’s answer',
  debater: 'All answer, read each other and answer again',
  summariser: 'The members answer alone, the leader reads them and gives the team’s answer',
};

// Provides the words for the lanes (columns) of a dialogue: each agent's name, its task, and the texts that it may see.
import { msg, spoken } from '../../base/spoken.ts';
import type { ProtocolFacts } from '../../config/protocols/facts.ts';
import type { HiddenText, WorldForm } from '../../config/worlds/form.ts';
import type { Member } from '../../records/cast.ts';
import type { Role } from '../../records/ids.ts';
import { agentName, roleDoes, roleTone, type Tone } from '../words.ts';
import { say } from '../../state/visitor/language.svelte.ts';

export interface Lane {
  name: string;
  tone: Tone;
  /** The text next to the name. */
  does: string;
  /** This text is shown in the lane before the first dialogue. */
  ghost: string;
}

/** Whether a planner and a reasoner alternate. In other teams, each turn is an answer. */
export const isPlanned = (cast: readonly Member[]) => cast[0]?.role === 'metaThinking';

/** The lanes, one for each agent. */
export function lanesOf(cast: readonly Member[]): Lane[] {
  const roles = cast.map(({ role }) => role);
  return cast.map((member, agent) => ({
    name: agentName(agent, roles),
    tone: roleTone[member.role],
    does: does(member, cast),
    ghost: ghost(member, cast),
  }));
}

/** The names of the hidden texts, such as `the rule` or `the map and the list`. */
const named = (texts: readonly HiddenText[]) => texts.map(({ label }) => label).join(spoken` and `);

/**
 * A phrase about the hidden texts that an agent sees, such as `sees the rule`, `never sees the rule` or `sees the map,
 * never the list`.
 */
function sight({ sees, seesNot }: Member, isNever: boolean): string {
  if (sees.length === 0)
    return seesNot.length === 0
      ? say('sees everything')
      : isNever
        ? say('never sees {seesNot}', { seesNot: named(seesNot) })
        : say('does not see {seesNot}', { seesNot: named(seesNot) });
  return seesNot.length > 0
    ? say('sees {sees}, never {seesNot}', { sees: named(sees), seesNot: named(seesNot) })
    : say('sees {sees}', { sees: named(sees) });
}

/**
 * Whether there is a text that no agent sees as a whole. In this case, one agent reads the text piece by piece and
 * takes notes, and this agent or another agent uses the notes to answer.
 */
const isRead = (cast: readonly Member[]) =>
  (isPlanned(cast) || cast.length === 1) && cast.every(({ sees, seesNot }) => sees.length === 0 && seesNot.length > 0);

function does(member: Member, cast: readonly Member[]): string {
  if (isRead(cast) && cast.length === 1) return say('reads, takes notes and answers');
  if (isRead(cast))
    return member.role === 'metaThinking' ? say('reads and takes notes') : say('answers from the notes');
  if (isPlanned(cast)) return roleDoes(member.role);
  if (cast.length === 1 && member.seesNot.length === 0) return say('sees everything and answers alone');
  return sight(member, false);
}

function ghost(member: Member, cast: readonly Member[]): string {
  const { role, sees, seesNot } = member;
  const seen = sight(member, true);
  const capital = seen.charAt(0).toUpperCase() + seen.slice(1);
  if (isRead(cast)) return say('{capital} as a whole; {member}.', { capital, member: does(member, cast) });
  if (role === 'metaThinking') return say('{capital}, and says what to do next.', { capital });
  if (isPlanned(cast)) return say('{capital}, and does what the plan says.', { capital });
  if (cast.length === 1 && seesNot.length === 0) {
    const own = named(sees).replace(/^the /, 'its ');
    return sees.length > 0
      ? say('Sees the problem and {own}, and answers alone.', { own })
      : say('Sees the problem, and answers alone.');
  }
  return say('{capital}, and {value}.', {
    capital,
    value: role === 'reasoning' ? say('answers alone') : roleDoes(role),
  });
}

/** The names of several hidden texts as one label, and their descriptions as one text. */
const together = (texts: readonly HiddenText[]): LanePremise['hidden'] =>
  texts.length > 0 ? { label: named(texts), sentence: texts.map(({ sentence }) => sentence).join(' ') } : null;

/** The introduction for a planner and a reasoner. */
function planned(cast: readonly Member[]): LanePremise {
  const [planner, reasoner] = cast;
  if (isRead(cast)) {
    const after = say(
      ' as a whole. One agent reads piece by piece and takes notes, and the other answers from the notes.',
    );
    return {
      before: say('Two agents work on one problem, and neither of the two sees'),
      hidden: together(planner?.seesNot ?? []),
      after,
    };
  }
  const own = reasoner?.sees.filter((text) => planner?.seesNot.includes(text)) ?? [];
  const hidden = together(planner?.sees.filter((text) => reasoner?.seesNot.includes(text)) ?? []);
  const work =
    own.length > 0
      ? say('The reasoner, who alone sees {own}, carries out the plan.', { own: named(own) })
      : say(hidden ? 'The reasoner carries out the plan and never sees the hidden part.' : 'The reasoner does it.');
  const before = hidden ? say('The planner sees') : say('The planner says what to do next. {work}', { work });
  return { before, hidden, after: hidden ? say(' and says what to do next. {work}', { work }) : '' };
}

export interface LanePremise {
  before: string;
  /** The hidden texts: their names, and a sentence that explains them; null if there are none. */
  hidden: { label: string; sentence: string } | null;
  after: string;
}

/**
 * One sentence about how the team works on a problem. The sentence mentions the texts that are hidden from some agents.
 */
export function premiseOf(cast: readonly Member[], { round, needsTools }: ProtocolFacts): LanePremise {
  const texts = cast[0] ? [...cast[0].sees, ...cast[0].seesNot] : [];
  const hidden = together(texts);
  const said = (before: string, after: string, without: string): LanePremise =>
    hidden ? { before, hidden, after } : { before: without, hidden, after: '' };
  if (isPlanned(cast)) return planned(cast);
  const seeing = cast.filter(({ sees, seesNot }) => sees.length > 0 && seesNot.length === 0).length;
  if (isRead(cast))
    return said(say('One agent reads and takes notes, then answers; it never sees'), say(' as a whole.'), '');
  if (cast.length === 1 && needsTools)
    return said(
      say('One agent sees a problem and'),
      say(', and calls tools until it answers.'),
      say('One agent calls tools until it answers.'),
    );
  if (cast.length === 1)
    return seeing === 1
      ? said(say('One agent sees a problem and'), say(', and answers alone.'), '')
      : said(say('One agent answers alone, without seeing'), '.', say('One agent answers alone.'));
  const role = cast.at(-1)?.role ?? 'reasoning';
  const isInTurn = role === 'debater' && round([...cast.keys()]).length > 1;
  const work = isInTurn ? say('The debaters take turns, and each hears the other') : say(teamWork[role]);
  const who =
    seeing === cast.length
      ? say('all see')
      : seeing === 0
        ? cast.some(({ sees }) => sees.length > 0)
          ? say('no agent sees both')
          : say('nobody sees')
        : say('{seeing, plural, one {# of {length} sees} other {# of {length} see}}', { seeing, length: cast.length });
  return said(`${work}; ${who}`, '.', `${work}.`);
}

/** If the problems come from several worlds, describes how the team works, and the hidden texts of each world. */
export function premiseAmong(
  worlds: readonly Pick<WorldForm, 'label' | 'hidden'>[],
  cast: readonly Member[],
  facts: ProtocolFacts,
): LanePremise {
  const sightless = cast.map(({ role }) => ({ role, sees: [], seesNot: [] }));
  const { before } = premiseOf(sightless, facts);
  const texts = worlds.flatMap(({ label: world, hidden }) =>
    hidden.map(({ label, sentence }) => `${world}, ${label}: ${sentence}`),
  );
  return {
    before: say('{replace}, in', { replace: before.replace(/\.$/, '') }),
    hidden: { label: worlds.map(({ label }) => label).join(spoken` and `), sentence: texts.join(' ') },
    after: '.',
  };
}

/** For each role, a description of how a team works if the last member of the team has this role. */
const teamWork: Record<Role, string> = {
  metaThinking: msg('All plan'),
  reasoning: msg('All agents answer alone, and the most common answer is the team’s answer'),
  pioneer: msg('All answer'),
  observer: msg('The pioneer answers; the observer reads the answer and gives the team’s answer'),
  debater: msg('All agents answer, read each other’s answers and answer again'),
  summariser: msg('The members answer alone; the leader reads their answers and gives the team’s answer'),
};

// The lanes of a dialogue in words: who each agent is, what it does, and what it may see.
import { spoken } from '../../base/spoken.ts';
import type { ProtocolFacts } from '../../config/protocolFacts.ts';
import type { HiddenText, WorldForm } from '../../config/worlds/form.ts';
import type { Member } from '../../records/cast.ts';
import type { Role } from '../../records/ids.ts';
import { agentName, roleDoes, roleTone, type Tone } from '../words.ts';
import { say, type MessageKey } from '../../state/visitor/language.svelte.ts';

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
    tone: roleTone[member.role],
    does: does(member, cast),
    ghost: ghost(member, cast),
  }));
}

/** The hidden texts in words: `the rule`, `the map and the list`. */
const named = (texts: readonly HiddenText[]) => texts.map(({ label }) => label).join(spoken` and `);

/** What an agent sees of what is hidden: `sees the rule`, `never sees the rule`, `sees the map, never the list`. */
function sight({ sees, seesNot }: Member, isNever: boolean): string {
  if (sees.length === 0)
    return seesNot.length === 0
      ? say('stage.laneWords.seesEverything')
      : isNever
        ? say('stage.laneWords.neverSees', { seesNot: named(seesNot) })
        : say('stage.laneWords.doesNotSee', { seesNot: named(seesNot) });
  return seesNot.length > 0
    ? say('stage.laneWords.seesNever', { sees: named(sees), seesNot: named(seesNot) })
    : say('stage.laneWords.sees', { sees: named(sees) });
}

/** A text that nobody sees as a whole: one reads it piece by piece and takes notes, the other, or the same, answers from them. */
const isRead = (cast: readonly Member[]) =>
  (isPlanned(cast) || cast.length === 1) && cast.every(({ sees, seesNot }) => sees.length === 0 && seesNot.length > 0);

function does(member: Member, cast: readonly Member[]): string {
  if (isRead(cast) && cast.length === 1) return say('stage.laneWords.readsTakesNotesAnd');
  if (isRead(cast))
    return member.role === 'metaThinking'
      ? say('stage.laneWords.readsAndTakesNotes')
      : say('stage.laneWords.answersFromTheNotes');
  if (isPlanned(cast)) return roleDoes(member.role);
  if (cast.length === 1 && member.seesNot.length === 0) return say('stage.laneWords.seesEverythingAndAnswers');
  return sight(member, false);
}

function ghost(member: Member, cast: readonly Member[]): string {
  const { role, sees, seesNot } = member;
  const seen = sight(member, true);
  const capital = seen.charAt(0).toUpperCase() + seen.slice(1);
  if (isRead(cast)) return say('stage.laneWords.asAWholeAnd', { capital, member: does(member, cast) });
  if (role === 'metaThinking') return say('stage.laneWords.andSaysWhatTo', { capital });
  if (isPlanned(cast)) return say('stage.laneWords.andDoesWhatThe', { capital });
  if (cast.length === 1 && seesNot.length === 0) {
    const own = named(sees).replace(/^the /, 'its ');
    return sees.length > 0
      ? say('stage.laneWords.seesTheProblemAnd', { own })
      : say('stage.laneWords.seesTheProblemAnd2');
  }
  return say('stage.laneWords.and2', {
    capital,
    value: role === 'reasoning' ? say('stage.laneWords.answersAlone') : roleDoes(role),
  });
}

/** What several private texts are called together, and what they are. */
const together = (texts: readonly HiddenText[]): Premise['hidden'] =>
  texts.length > 0 ? { label: named(texts), sentence: texts.map(({ sentence }) => sentence).join(' ') } : null;

/** Of a planner and a reasoner, each with what it alone sees. */
function planned(cast: readonly Member[]): Premise {
  const [planner, reasoner] = cast;
  if (isRead(cast)) {
    const after = say('stage.laneWords.asAWholeOne');
    return { before: say('stage.laneWords.twoAgentsOneProblem'), hidden: together(planner?.seesNot ?? []), after };
  }
  const own = reasoner?.sees.filter((text) => planner?.seesNot.includes(text)) ?? [];
  const hidden = together(planner?.sees.filter((text) => reasoner?.seesNot.includes(text)) ?? []);
  const work =
    own.length > 0
      ? say('stage.laneWords.theReasonerWhoAlone', { own: named(own) })
      : say(hidden ? 'stage.laneWords.theReasonerDoesItUnseen' : 'stage.laneWords.theReasonerDoesIt');
  const before = hidden
    ? say('stage.laneWords.onlyThePlannerSees')
    : say('stage.laneWords.thePlannerSaysWhat', { work });
  return { before, hidden, after: hidden ? say('stage.laneWords.andSaysWhatTo2', { work }) : '' };
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
  if (isRead(cast)) return said(say('stage.laneWords.oneAgentReadsAnd'), say('stage.laneWords.asAWhole'), '');
  if (cast.length === 1 && needsTools)
    return said(
      say('stage.laneWords.oneAgentSeesA'),
      say('stage.laneWords.andCallsToolsUntil'),
      say('stage.laneWords.oneAgentCallsTools'),
    );
  if (cast.length === 1)
    return seeing === 1
      ? said(say('stage.laneWords.oneAgentSeesA'), say('stage.laneWords.andAnswersAlone'), '')
      : said(say('stage.laneWords.oneAgentAnswersAlone'), '.', say('stage.laneWords.oneAgentAnswersAlone2'));
  const role = cast.at(-1)?.role ?? 'reasoning';
  const isInTurn = role === 'debater' && round([...cast.keys()]).length > 1;
  const work = isInTurn ? say('stage.laneWords.theySpeakInTurn') : say(teamWork[role]);
  const who =
    seeing === cast.length
      ? say('stage.laneWords.allSee')
      : seeing === 0
        ? cast.some(({ sees }) => sees.length > 0)
          ? say('stage.laneWords.noAgentSeesBoth')
          : say('stage.laneWords.nobodySees')
        : say('stage.laneWords.of', { seeing, length: cast.length });
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
    before: say('stage.laneWords.in', { replace: before.replace(/\.$/, '') }),
    hidden: { label: worlds.map(({ label }) => label).join(spoken` and `), sentence: texts.join(' ') },
    after: '.',
  };
}

/** What a team does whose last member has this role. */
const teamWork: Record<Role, MessageKey> = {
  metaThinking: 'stage.laneWords.allPlan',
  reasoning: 'stage.laneWords.allAnswerAloneAnd',
  pioneer: 'stage.laneWords.allAnswer',
  observer: 'stage.laneWords.thePioneerAnswersThe',
  debater: 'stage.laneWords.allAnswerReadEach',
  summariser: 'stage.laneWords.theMembersAnswerAlone',
};

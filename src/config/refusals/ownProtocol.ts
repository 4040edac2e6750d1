// Finds the first error in a protocol that a visitor wrote, with its place, a description in words, and corrected
// protocols. The schema checks only the form of the record (config/ownProtocol.ts).
import type { Config } from '../schema.ts';
import { spoken } from '../../base/spoken.ts';
import type { OwnAgent, OwnProtocol } from '../ownProtocol.ts';
import { formIn } from '../worlds/registry.ts';
import { defaultProtocol } from '../protocols/registry.ts';
import { rules, type Row } from './rule.ts';

interface Fault {
  /** The place of the error in the record. */
  within: readonly (string | number)[];
  says: string;
  /**
   * Corrected protocols, the most similar one first. If a corrected protocol has another error, that error is reported
   * next.
   */
  mended: readonly OwnProtocol[];
}

type Check = (own: OwnProtocol, hidden: readonly string[]) => Fault | null;

const withAgent = (own: OwnProtocol, agent: number, change: Partial<OwnAgent>): OwnProtocol => ({
  ...own,
  agents: own.agents.map((one, at) => (at === agent ? { ...one, ...change } : one)),
});

/**
 * Moves an agent to another set of the speaking order. `set` is the index of that set, or `own.order.length` for a new
 * set. Sets that become empty are removed.
 */
export function withPlace(own: OwnProtocol, agent: number, set: number): OwnProtocol {
  const order = Array.from({ length: Math.max(own.order.length, set + 1) }, (_, at) => {
    const others = (own.order[at] ?? []).filter((other) => other !== agent);
    return at === set ? [...others, agent].sort((a, b) => a - b) : others;
  });
  return { ...own, order: order.filter((speakers) => speakers.length > 0) };
}

/**
 * Removes an agent from a protocol. The numbers of the agents after it decrease by one. If the team's answer was that
 * of the removed agent, it is now decided by majority. If the removed agent could end the dialogue, no agent can do so
 * any longer.
 */
export function withoutAgent(own: OwnProtocol, gone: number): OwnProtocol {
  const moved = (agent: number) => (agent > gone ? agent - 1 : agent);
  const left = (agents: readonly number[]) => agents.filter((agent) => agent !== gone).map(moved);
  const { agents, order, answer, finisher } = own;
  return {
    ...own,
    agents: agents.filter((_, agent) => agent !== gone).map((one) => ({ ...one, hears: left(one.hears) })),
    order: order.map(left).filter((speakers) => speakers.length > 0),
    answer: answer === gone || answer === 'majority' ? 'majority' : moved(answer),
    finisher: finisher === null || finisher === gone ? null : moved(finisher),
  };
}

/** Finds agents that appear in the record but do not exist. */
const strangers: Check = (own) => {
  const count = own.agents.length;
  const isStranger = (agent: number) => agent >= count;
  const isThere = (agent: number) => !isStranger(agent);
  const says = (agent: number) => {
    const who = spoken`there is no agent ${agent}`;
    return count === 1
      ? spoken`${who}, because the team has only agent 0`
      : spoken`${who}, because the ${count} agents of the team are numbered 0 to ${count - 1}`;
  };
  for (const [agent, { hears }] of own.agents.entries()) {
    const stranger = hears.find(isStranger);
    if (stranger === undefined) continue;
    const mended = [withAgent(own, agent, { hears: hears.filter(isThere) })];
    return { within: ['agents', agent, 'hears'], says: says(stranger), mended };
  }
  for (const [set, speakers] of own.order.entries()) {
    const stranger = speakers.find(isStranger);
    if (stranger === undefined) continue;
    const order = own.order.map((all) => all.filter(isThere));
    return { within: ['order', set], says: says(stranger), mended: [{ ...own, order }] };
  }
  if (own.answer !== 'majority' && isStranger(own.answer)) {
    const mended = [{ ...own, answer: own.order.at(-1)?.at(-1) ?? 0 }];
    return { within: ['answer'], says: spoken`nobody answers: ${says(own.answer)}`, mended };
  }
  if (own.finisher !== null && isStranger(own.finisher))
    return { within: ['finisher'], says: says(own.finisher), mended: [{ ...own, finisher: null }] };
  return null;
};

/** Checks that each agent speaks exactly once in a round, and that no set is empty. */
const speakers: Check = (own) => {
  const empty = own.order.findIndex((set) => set.length === 0);
  if (empty >= 0) {
    const order = own.order.filter((set) => set.length > 0);
    const mended = [{ ...own, order: order.length > 0 ? order : [[...own.agents.keys()]] }];
    return { within: ['order', empty], says: spoken`nobody speaks in this set`, mended };
  }
  for (const agent of own.agents.keys()) {
    const sets = [...own.order.keys()].filter((set) => own.order[set]?.includes(agent));
    const [first, second] = sets;
    if (first === undefined) {
      const mended = [withPlace(own, agent, 0), ...(own.agents.length > 1 ? [withoutAgent(own, agent)] : [])];
      return {
        within: ['agents', agent],
        says: spoken`agent ${agent} never speaks; add the agent to one of the sets of the order`,
        mended,
      };
    }
    if (second === undefined) continue;
    return {
      within: ['order', second],
      says: spoken`agent ${agent} speaks twice in a round`,
      mended: [withPlace(own, agent, first)],
    };
  }
  return null;
};

/**
 * Finds an agent that does not speak in the first set of a round although it hears no agent in an earlier set, or an
 * agent that lists itself among those that it hears.
 */
const waiting: Check = (own) => {
  for (const [agent, { hears }] of own.agents.entries()) {
    const others = hears.filter((other) => other !== agent);
    if (others.length < hears.length)
      return {
        within: ['agents', agent, 'hears'],
        says: spoken`agent ${agent} always hears itself; remove the agent from this list`,
        mended: [withAgent(own, agent, { hears: others })],
      };
    const place = own.order.findIndex((set) => set.includes(agent));
    const before = own.order.slice(0, place).flat();
    if (place === 0 || before.some((other) => hears.includes(other))) continue;
    return {
      within: ['agents', agent, 'hears'],
      says: spoken`agent ${agent} has nothing to wait for: it hears no agent that speaks before it in a round; let it hear one, or put it in the first set`,
      mended: [
        withAgent(own, agent, { hears: [...hears, ...(own.order[place - 1] ?? [])].sort((a, b) => a - b) }),
        withPlace(own, agent, 0),
      ],
    };
  }
  return null;
};

/**
 * If an agent can end the dialogue, each turn is a step. The planners say what the steps are, and one reasoner, who
 * speaks last in each round, carries them out.
 */
const steps: Check = (own) => {
  const { agents, finisher } = own;
  if (finisher === null) return null;
  const answers = { ...own, finisher: null };
  if (agents[finisher]?.role !== 'metaThinking') {
    const mended = [withAgent(own, finisher, { role: 'metaThinking' }), answers];
    return {
      within: ['finisher'],
      says: spoken`agent ${finisher} may finish the dialogue but is not a planner (metaThinking)`,
      mended,
    };
  }
  const others = [...agents.keys()].filter((agent) => agents[agent]?.role !== 'metaThinking');
  const [reasoner, second] = others;
  if (reasoner === undefined) {
    const last = [...agents.keys()].findLast((agent) => agent !== finisher);
    const mended = [...(last === undefined ? [] : [withAgent(own, last, { role: 'reasoning' })]), answers];
    return {
      within: ['agents'],
      says: spoken`nobody answers, because all agents are planners (metaThinking) and none is a reasoner`,
      mended,
    };
  }
  const wrong = second ?? (agents[reasoner]?.role === 'reasoning' ? undefined : reasoner);
  if (wrong !== undefined) {
    const role = second === undefined ? 'reasoning' : 'metaThinking';
    const says = spoken`if an agent may finish a dialogue, one agent must be the reasoner and all others must be planners (metaThinking), but the role of agent ${wrong} does not fit`;
    return { within: ['agents', wrong, 'role'], says, mended: [withAgent(own, wrong, { role }), answers] };
  }
  if (own.answer !== reasoner)
    return {
      within: ['answer'],
      says: spoken`the reasoner, agent ${reasoner}, must give the answer of the team`,
      mended: [{ ...own, answer: reasoner }],
    };
  const place = own.order.findIndex((set) => set.includes(reasoner));
  if (place > 0 && place === own.order.length - 1 && own.order[place]?.length === 1) return null;
  const mended = [withPlace(own, reasoner, own.order.length)];
  const says = spoken`agent ${reasoner} ${place === 0 ? spoken`speaks before any planner, so there is no plan to carry out` : spoken`must speak alone in the last set, after all planners`}`;
  return { within: ['order', place], says, mended };
};

/**
 * If no agent can end the dialogue, each turn is an answer. A planner gives plans and no answers, so it is not allowed.
 */
const answers: Check = (own) => {
  const planner = own.agents.findIndex(({ role }) => role === 'metaThinking');
  if (own.finisher !== null || planner < 0) return null;
  const mended = [withAgent(own, planner, { role: 'reasoning' }), { ...own, finisher: planner }];
  return {
    within: ['agents', planner, 'role'],
    says: spoken`agent ${planner} is a planner (metaThinking), but every agent must answer if no agent may finish the dialogue`,
    mended,
  };
};

/** Finds an agent that is meant to see a hidden text that the world does not have. */
const sights: Check = (own, hidden) => {
  for (const [agent, { sees }] of own.agents.entries()) {
    const unknown = sees === 'all' ? undefined : sees.find((name) => !hidden.includes(name));
    if (sees === 'all' || unknown === undefined) continue;
    const known = sees.filter((name) => hidden.includes(name));
    const says = spoken`agent ${agent} sees “${unknown}”, but this world hides ${hidden.join(spoken` and `) || spoken`nothing`}`;
    const mended = [withAgent(own, agent, { sees: known.length > 0 ? known : 'all' })];
    return { within: ['agents', agent, 'sees'], says, mended };
  }
  return null;
};

/** The first error in a protocol in a world whose hidden texts have these names; null if there is none. */
export function faultOf(own: OwnProtocol, hidden: readonly string[]): Fault | null {
  for (const check of [strangers, speakers, waiting, steps, answers, sights]) {
    const fault = check(own, hidden);
    if (fault) return fault;
  }
  return null;
}

const faultIn = ({ agents, world }: Config): Fault | null =>
  agents.protocol === 'own'
    ? faultOf(
        agents.own,
        formIn(world).hidden.map(({ name }) => name),
      )
    : null;

const row: Row & Required<Pick<Row, 'remedies'>> = {
  path: 'agents.own',
  when: (config) => faultIn(config) !== null,
  says: (config) => faultIn(config)?.says ?? '',
  within: (config) => faultIn(config)?.within ?? [],
  remedies: (config) => [
    ...(faultIn(config)?.mended ?? []).map((own) => ({ 'agents.own': own })),
    { 'agents.protocol': defaultProtocol },
  ],
};

export const ownRules = rules([row]);

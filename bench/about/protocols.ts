// The facts about a protocol in the `about.md` of its folder, and the list of protocols in docs/protocols.md: its agents,
// a dialogue turn by turn, whose answer counts, its settings, and what it cannot be combined with.
import { describeFields } from '../../src/config/describe.ts';
import { parseConfig } from '../../src/config/parse.ts';
import type { NamedProtocol } from '../../src/config/protocols/facts.ts';
import { protocolLabels, protocolMeanings, protocolsWhere } from '../../src/config/protocols/registry.ts';
import type { Config } from '../../src/config/schema.ts';
import { shippedForms, worldLabels, type WorldName } from '../../src/config/worlds/registry.ts';
import { protocolsFor } from '../../src/config/worlds/rules.ts';
import { castOf } from '../../src/records/cast.ts';
import type { Role } from '../../src/records/ids.ts';
import { protocolOf, type Protocol } from '../../src/records/protocol.ts';
import { worlds } from '../../src/tasks/registry.ts';
import { code, table } from '../shared/table.ts';
import { worldPresets } from '../worlds/plan.ts';
import { actingBy, named, refusedList, talkOf } from './together.ts';
import { demonstrationOf, linesBlock } from './worlds.ts';

const names = protocolsWhere(() => true);

/** A function that generates the block of each protocol, and one for the list of all. */
export const protocolBlocks: Readonly<Record<string, () => string | Promise<string>>> = {
  protocolPages: listOfProtocols,
  ...Object.fromEntries(names.map((name) => [`protocol_${name}`, () => factsOf(name)])),
};

/** Each protocol with its meaning. */
function listOfProtocols(): string {
  const line = (name: NamedProtocol) =>
    `- [${protocolLabels[name]}](../src/extensions/protocols/${name}/about.md): ${protocolMeanings[name].replaceAll('’', "'")}`;
  return names.map(line).join('\n');
}

/** The settings of the preset that shows the protocol, or otherwise those of the first world that supports it. */
function shownIn(name: NamedProtocol): Config {
  const preset = worldPresets.find(({ settings }) => settings.agents?.protocol === name);
  return preset ? parseConfig(preset.settings) : talkOf(name);
}

async function factsOf(name: NamedProtocol): Promise<string> {
  const config = shownIn(name);
  const world = worlds[config.world.name as WorldName];
  const speaker = (role: Role, agent: number) => `${agent} ${roleWords[role] ?? role}`;
  const lines = await demonstrationOf(world, 1, config.agents, speaker);
  return [
    `The agents in the world _${world.label}_:`,
    agentTable(config, protocolOf(config.agents, world)),
    'A problem of level 1, and a dialogue about it, turn by turn:',
    linesBlock(lines),
    [rulesOf(protocolOf(config.agents, world)), combinationsOf(name)].join('\n'),
  ].join('\n\n');
}

const roleWords: Partial<Record<Role, string>> = { metaThinking: 'planner', reasoning: 'reasoner' };

/** Each agent: its role, the hidden texts that it sees, and the agents that it hears. */
function agentTable(config: Config, protocol: Protocol): string {
  return table(
    [
      ['Agent', ({ agent }) => agent],
      ['Role', ({ role }) => roleWords[role] ?? role],
      ['Hidden texts that it sees', ({ sees }) => sees.map(({ label }) => label).join(' and ') || 'nothing'],
      ['Hears', ({ agent }) => heardBy(protocol, agent).join(', ') || 'nobody'],
    ],
    castOf(config).map((member, agent) => ({ ...member, agent })),
  );
}

/** Returns the agents that an agent hears. In a protocol with one round, these are only agents that speak before it. */
function heardBy({ round, hears, isOneRound }: Protocol, agent: number): number[] {
  const own = round.findIndex((set) => set.includes(agent));
  const speakers = (isOneRound ? round.slice(0, own) : round).flat();
  return speakers.filter((other) => other !== agent && (hears?.[agent]?.includes(other) ?? true));
}

const inWords = new Intl.ListFormat('en-GB');
const listed = (agents: readonly number[]) =>
  `${agents.length > 1 ? 'agents' : 'agent'} ${inWords.format(agents.map(String))}`;

function rulesOf(protocol: Protocol): string {
  const { round, rounds, isOneRound, hasSteps, context, finisher, answerFrom, messengers } = protocol;
  const sets = round.map((set) => `${listed(set)}${set.length > 1 ? ' at the same time' : ''}`).join(', then ');
  const fixed = rounds === 1 ? 'there is one round' : `there are ${rounds} rounds`;
  const count = hasSteps ? 'the number of rounds depends on the level' : fixed;
  return [
    `- Order of a round: ${sets}. ${isOneRound ? 'There is always one round.' : `Unless ${code('agents.roundLimit')} is set, ${count}.`}`,
    `- The context of a turn contains ${context === 'fresh' ? 'the prompt, the newest message of its agent and of each agent that it hears, and what the world showed after these messages' : 'everything that its agent has heard and said'}.`,
    finisher !== null && `- The dialogue ends before its last round if ${listed([finisher])} finishes it.`,
    answerFrom === 'majority'
      ? '- The team’s answer is the most common of the newest answers; in a tie it is the answer that was given first.'
      : `- The team’s answer is the newest answer of ${listed([answerFrom])}.`,
    messengers.length > 0 && `- The control _Messages hidden_ hides the messages of ${listed(messengers)}.`,
  ]
    .filter(Boolean)
    .join('\n');
}

/** The settings that act in this protocol, the worlds that support it, and what is refused with it. */
function combinationsOf(name: NamedProtocol): string {
  const acting = actingBy('agents.protocol', talkOf(name));
  const known = shippedForms
    .filter((form) => protocolsFor(form).includes(name))
    .map((form) => worldLabels[form.name as WorldName]);
  return [
    acting.length > 0 && `- Settings that only some protocols have: ${named(acting)}.`,
    `- Worlds: ${known.join(', ')}.`,
    refusedList('agents.protocol', talkOf(name), describeFields()),
  ]
    .filter(Boolean)
    .join('\n');
}

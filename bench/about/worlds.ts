// The facts about a world in the `about.md` of its folder, and the list of worlds in docs/worlds.md: its format in
// words, the ceiling of every level under every view, and a demonstrated dialogue of each level in the protocol of its
// preset.
import { Draws, streams } from '../../src/base/random.ts';
import { parseConfig } from '../../src/config/parse.ts';
import type { Config } from '../../src/config/schema.ts';
import type { RewardPart, WorldForm } from '../../src/config/worlds/form.ts';
import { worldNames, type WorldName } from '../../src/config/worlds/registry.ts';
import { protocolOf } from '../../src/records/protocol.ts';
import { worlds } from '../../src/tasks/registry.ts';
import type { World } from '../../src/tasks/world.ts';
import { finish, readTerminated, roleHeaders } from '../../src/text/chatTemplate.ts';
import type { Role } from '../../src/records/ids.ts';
import { table, type Column } from '../shared/table.ts';
import { worldPresets } from '../worlds/plan.ts';

/** A function that generates the block of each world, and one for the list of all. */
export const worldBlocks: Readonly<Record<string, () => string | Promise<string>>> = {
  worldPages: listOfWorlds,
  ...Object.fromEntries(worldNames.map((name) => [`world_${name}`, () => factsOf(name)])),
};

function listOfWorlds(): string {
  const line = ({ name, label, sentence }: WorldForm) =>
    `- [${label}](../src/extensions/worlds/${name}/about.md): ${sentence}`;
  return worldNames.map((name) => line(worlds[name])).join('\n');
}

async function factsOf(name: WorldName): Promise<string> {
  const world = worlds[name];
  const dialogues = await Promise.all(world.levels.map(({ level }) => exampleOf(world, level)));
  return [world.sentence, hiddenList(world), levelTable(world), partList(world), ...dialogues].join('\n\n');
}

const hiddenList = ({ hidden }: WorldForm) =>
  hidden.map(({ label, sentence }) => `- Hidden text “${label}”: ${sentence}`).join('\n');

const partList = ({ parts }: WorldForm) => {
  const line = ({ label, sentence, paidOn }: RewardPart) =>
    `- _${label}_: ${sentence} This reward can be earned by ${paidOn}.`;
  return parts.length === 0
    ? 'In this world, only the right answer is rewarded.'
    : [
        'In addition to the reward for a right answer, the following parts of the reward are paid if their weight is not 0:',
        parts.map(line).join('\n'),
      ].join('\n\n');
};

/** All sets of hidden texts that an agent may see. */
function viewsOf({ hidden }: WorldForm): WorldForm['hidden'][] {
  return hidden.reduce<WorldForm['hidden'][]>(
    (views, text) => [...views, ...views.map((view) => [...view, text])],
    [[]],
  );
}

/**
 * Returns the table of levels with the highest possible share of right answers: for an agent that hears nothing, by the
 * texts it sees, and for all agents without an option.
 */
function levelTable(world: World): string {
  type Level = World['levels'][number];
  const columns: Column<Level>[] = [
    ['Level', ({ level }) => level],
    ['What is asked', ({ label }) => label],
    ...viewsOf(world).map((view): Column<Level> => {
      const sees = view.map(({ name }) => name);
      const head =
        view.length === 0 ? 'Ceiling without hidden texts' : `seeing ${view.map(({ label }) => label).join(' and ')}`;
      return [head, ({ level }) => world.ceiling(level, sees).toFixed(2)];
    }),
    ...(world.options ?? []).map(({ name, label }): Column<Level> => {
      const without = world.under?.({ [name]: false });
      return [
        `Highest accuracy without ${label.toLowerCase()}`,
        ({ level }) => (without?.most?.(level, 'training') ?? 1).toFixed(2),
      ];
    }),
  ];
  return table(columns, world.levels);
}

/** A demonstrated problem of a level, in the protocol of the world's preset. */
async function exampleOf(world: World, level: number): Promise<string> {
  const settings = worldPresets.find((planned) => planned.world === world.name)?.settings ?? {};
  const lines = await demonstrationOf(world, level, parseConfig(settings).agents);
  return [`A problem of level ${level} and its demonstration:`, linesBlock(lines)].join('\n\n');
}

/** A line of text and the word in front of it. */
export type Line = [who: string, what: string];

/** Lines as a block of text in two columns. */
export function linesBlock(lines: readonly Line[]): string {
  const width = Math.max(...lines.map(([who]) => who.length));
  return `\`\`\`text\n${lines.map(([who, what]) => `${who.padEnd(width)}  ${what}`).join('\n')}\n\`\`\``;
}

/** A problem of a level and its demonstration without slips: the speaker and the message. */
export async function demonstrationOf(
  world: World,
  level: number,
  agents: Config['agents'],
  speaker = (role: Role, _agent: number) => roleHeaders[role].slice(1, -1),
): Promise<Line[]> {
  const protocol = protocolOf(agents, world);
  const draws = new Draws(1, streams.heldOut, level);
  const problem = world.draw(level, draws, 'training');
  const rounds = world.limits(level, protocol).roundLimit;
  const options = { goodPlans: 1, resultNoise: 0, finishEnds: agents.finishEnds, rounds };
  const lines: Line[] = [
    ['all see', problem.shown],
    ...world.hidden.map(({ label, name }): Line => [label, problem.hidden[name] ?? '']),
  ];
  let reaction = await world.open?.(problem);
  const note = () => {
    if (reaction?.observation) lines.push([reaction.observation.source, reaction.observation.text]);
  };
  note();
  for (const { agent, message } of world.demonstrate(problem, draws, options, protocol)) {
    const { text, isFinish } = readTerminated(message);
    const role = protocol.roles[agent] as Role;
    lines.push([speaker(role, agent), isFinish ? `${text}${finish}`.trim() : text.trim()]);
    reaction = (await world.react?.(problem, reaction?.state ?? null, { role, agent, text, isFinish })) ?? reaction;
    if (world.react) note();
  }
  lines.push(['answer', problem.answer]);
  return lines;
}

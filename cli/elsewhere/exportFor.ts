// `cothink export --for`: a folder in which another trainer continues training one agent of a stored run.
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { unzipSync } from 'fflate';
import { ConfigError } from '../../src/base/errors.ts';
import { fileNameOf } from '../../src/config/runName.ts';
import { soloProtocol } from '../../src/config/protocols/registry.ts';
import { partsOf } from '../../src/config/worlds/form.ts';
import { partWeights } from '../../src/config/worlds/registry.ts';
import { protocolsFor } from '../../src/config/worlds/rules.ts';
import { weightsZip } from '../../src/formats/weightsZip.ts';
import type { PreferenceText } from '../../src/records/stored/preference.ts';
import { agentTakenAway } from '../../src/training/history/takenAway.ts';
import { assembleTeam, type Team } from '../../src/training/team/team.ts';
import type { CommandArguments } from '../command.ts';
import { replacing, writeSynced } from '../files.ts';
import { print } from '../print.ts';
import { inSession, readyFor, type Stored } from '../stored/openStored.ts';
import { pairsOf, promptsOf, type Prompt } from './examples.ts';
import { readmeFor } from './readme.ts';
import rewardScript from './reward.py?raw';
import type { TrainerFacts } from './trainer.ts';
import { loadReward, loadTrainer } from './trainers.ts';

/** One of every eight problems is held out for evaluation. */
const apart = 8;

/**
 * Writes the folder and returns the exit code. Throws ConfigError if the folder exists or other trainers cannot train
 * the agent.
 */
export async function exportFor(facts: TrainerFacts, stored: Stored, given: CommandArguments): Promise<number> {
  const { run, checkpoint, archived } = stored;
  const folder = given.text('out') ?? `${fileNameOf(run.name)}-${facts.name}`;
  if (await stat(folder).catch(() => null))
    throw new ConfigError(`--out: ${folder} already exists; choose another folder.`);
  await readyFor(stored, given);
  const team = assembleTeam(checkpoint.config);
  if (team.foreign)
    throw new ConfigError(
      `--for: the prompts contain special tokens of Cothink, but ${team.foreign.label} has its own special tokens; export the agent with --as weights.`,
    );
  const agent = answering(team, given.whole('agent'));
  const { prompts, pairs } = await examplesOf(stored, team, agent);
  const role = team.protocol.roles[agent] ?? 'reasoning';
  const window = team.settings.windows[role];
  const all = [...prompts.train, ...prompts.test];
  const promptWindow = all.reduce((most, { tokens }) => Math.max(most, tokens), 0);
  const recipe = { config: checkpoint.config, window, promptWindow, prompts: prompts.train.length };
  const taught = { recipe, role, prompts, pairs };
  const trainer = await loadTrainer(facts);
  const own = trainer.files(taught);
  const { label } = facts;
  const noted = { ...taught, label, runName: run.name, place: given.rest[0] ?? '', world: team.world.label };
  const files = {
    'README.md': readmeFor(trainer, own, noted),
    ...Object.fromEntries(Object.entries(own).map(([name, { content }]) => [name, content])),
    'reward.py': [rewardScript, await loadReward(facts)].join('\n\n'),
    'reward.json': rewardSettings(team),
  };
  const content = (await archived.world())?.content;
  const module = content?.kind === 'module' ? { module: content.source } : {};
  await replacing(folder, async (part) => {
    await inSession(stored, async (session) => {
      const { source, models, isByTurn } = await agentTakenAway(session, agent);
      if (isByTurn)
        throw new ConfigError(
          '--for: this agent has an adapter for each turn, but other trainers train a single model.',
        );
      const { 'README.md': _, ...model } = unzipSync(weightsZip({ ...source, ...module, ...models[0] }));
      for (const [name, bytes] of Object.entries(model))
        if (isOfModel(name)) await writeSynced(path.join(part, 'model', name), bytes);
    });
    for (const [name, written] of Object.entries(files)) await writeSynced(path.join(part, name), written);
  });
  const counts = { prompts: prompts.train.length, heldOut: prompts.test.length, pairs: pairs.length };
  print(given, { folder, ...counts }, [
    `${folder}: ${counts.prompts} prompts, ${counts.heldOut} held out, ${counts.pairs} pairs; README.md explains how to continue.`,
  ]);
  return 0;
}

/**
 * Whether a file of the exported model is read by the transformers library or contains the code of the world. The other
 * files, graphs and adapters, are for other programs.
 */
const isOfModel = (name: string) => /^(\w*config\.json|tokenizer\.json|model\.safetensors|world\.js)$/.test(name);

/**
 * The requested agent; by default, the agent that gives the team's answer. Throws ConfigError if none of the agent's
 * completions can be rewarded.
 */
function answering({ world, protocol }: Team, asked?: number): number {
  if (!protocolsFor(world).includes(soloProtocol))
    throw new ConfigError(
      `--for: problems of ${world.label} are not answered in one turn, but other trainers sample only one turn; use the world over gRPC instead (cothink serve --grpc).`,
    );
  const { roles, answerFrom, hasSteps } = protocol;
  const whose = answerFrom === 'majority' ? 0 : answerFrom;
  const agent = asked ?? whose;
  if (agent >= roles.length)
    throw new ConfigError(`--agent: expected a number from 0 to ${roles.length - 1}, got ${agent}.`);
  if (hasSteps && agent !== whose)
    throw new ConfigError(
      `--agent: agent ${agent}, ${roles[agent] ?? ''}, gives no answer that can be rewarded on its own; use agent ${whose}.`,
    );
  return agent;
}

/**
 * Collects examples from all stored dialogues. Throws ConfigError if they contain no prompts for training or none for
 * evaluation.
 */
async function examplesOf({ archived }: Stored, team: Team, agent: number) {
  const byText = new Map<string, Prompt>();
  const pairs: PreferenceText[] = [];
  for (const at of archived.iterations) {
    const trajectories = await archived.trajectories(at);
    for (const prompt of promptsOf(team, trajectories, agent)) byText.set(prompt.text, prompt);
    pairs.push(...pairsOf(team, trajectories, agent));
  }
  const order = new Map([...new Set([...byText.values()].map(({ problem }) => problem.id))].map((id, i) => [id, i]));
  const isApart = ({ problem }: Prompt) => (order.get(problem.id) ?? 0) % apart === apart - 1;
  const test = [...byText.values()].filter(isApart);
  const train = [...byText.values()].filter((prompt) => !isApart(prompt));
  if (train.length === 0 || test.length === 0)
    throw new ConfigError(
      `--for: the stored dialogues contain answers of agent ${agent} to only ${order.size} problems, which is too few for training and test data; train for another iteration.`,
    );
  return { prompts: { train, test }, pairs };
}

/**
 * The weights of the reward parts that apply to a completion, as JSON. The part for the length of a turn is omitted,
 * because the served world does not report this length.
 */
function rewardSettings({ config, world }: Team): string {
  const { length: _, ...weights } = partWeights(config, world, partsOf(world));
  const paid = Object.fromEntries(Object.entries(weights).filter(([, weight]) => weight !== 0));
  return `${JSON.stringify({ weights: paid, endsOnly: config.agents.maskUnfinished }, null, 2)}\n`;
}

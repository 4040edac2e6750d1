// A warm start with two kinds of dialogues: the usual one, and one in which the reasoner answers the first plan with
// the final number and the planner finishes. The second kind is harder to calculate and takes three turns instead of
// five, so the team itself chooses the number of turns.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '../../src/config/schema.ts';
import { readSafetensors, writeSafetensors } from '../../src/formats/safetensors.ts';
import { initialWeights } from '../../src/model/network/parameters.ts';
import type { NamedArray } from '../../src/records/stored/checkpoint.ts';
import type { Demonstrated, World } from '../../src/tasks/world.ts';
import { Gate } from '../../src/training/team/gate.ts';
import { disposeNetwork, downloadNetwork, freshState, uploadNetwork } from '../../src/training/team/network.ts';
import { assembleTeam } from '../../src/training/team/team.ts';
import { trainWarmStart } from '../../src/training/imitation/warmStart.ts';

/** Share of demonstrations that take the shortcut. */
const share = 0.5;

/** Returns the shortened dialogue: the first plan, the final answer and the finish. */
export function shorten(messages: Demonstrated[]): Demonstrated[] {
  const [plan, finish, answer] = [messages[0], messages.at(-1), messages.at(-2)];
  if (!plan || !finish || !answer || messages.length < 5) return messages;
  return [plan, { ...answer, round: 0 }, { ...finish, round: 1 }];
}

export function shortcutsFile({ world, warmStart }: Config, seed: number): string {
  return `.cache/benchWarmStarts/shortcuts-${world.level}-${warmStart.steps}-${seed}.safetensors`;
}

/** Returns the weights of that warm start for a seed. They are trained if they do not exist yet. */
export async function shortcutWarmStart(config: Config, seed: number): Promise<NamedArray[]> {
  const file = shortcutsFile(config, seed);
  if (existsSync(file)) return readSafetensors(readFileSync(file)).tensors;
  const team = assembleTeam({ ...config, run: { ...config.run, seed } });
  const demonstrate: World['demonstrate'] = (problem, draws, ...rest) => {
    const isShort = draws.next() < share;
    const messages = team.world.demonstrate(problem, draws, ...rest);
    return isShort ? shorten(messages) : messages;
  };
  const network = uploadNetwork(freshState(initialWeights(team.shape, seed, 0), team.shape, false), team.shape);
  const world = { ...team.world, demonstrate };
  await trainWarmStart({ ...team, world, agentsOf: [[0, 1]] }, [network], { gate: new Gate() });
  const { weights } = await downloadNetwork(network);
  disposeNetwork(network);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, writeSafetensors(weights));
  return weights;
}

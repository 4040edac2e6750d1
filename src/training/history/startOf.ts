// Reads an agent's weights from a stored run, so that another run can start from them (ReMA's model_paths).
import { ConfigError } from '../../base/errors.ts';
import { spoken } from '../../base/spoken.ts';
import type { Checkpoint } from '../../records/stored/checkpoint.ts';
import type { GivenModel } from '../../records/stored/modelCard.ts';
import { asStoredMatrix } from '../../records/stored/storedMatrix.ts';
import { assembleTeam, teamAt } from '../team/team.ts';

/**
 * The weights that an agent uses for its first turn after a checkpoint of the run called `name`. The world of that run
 * must be loaded. Throws ConfigError if the run has no such agent, or if adapters were trained in the run.
 */
export function startOf({ name, checkpoint }: { name: string; checkpoint: Checkpoint }, agent: number): GivenModel {
  const { config, iteration, networks } = checkpoint;
  if (config.agents.parameters === 'lora')
    throw new ConfigError(
      spoken`agents.start: the run ${name} has adapters; save an agent of this run as a weights file, and start from that file.`,
    );
  const team = teamAt(assembleTeam(config), iteration);
  const network = team.networkOf[agent]?.[0];
  const [shape, tokenizer] = [team.shapes[network ?? -1], team.tokenizers[agent]];
  const weights = networks[network ?? -1]?.weights;
  if (!shape || !tokenizer || !weights) {
    const last = team.protocol.roles.length - 1;
    throw new ConfigError(spoken`agents.start: expected an agent from 0 to ${last} of ${name}, got ${agent}.`);
  }
  return {
    label: spoken`${name} after ${iteration}`,
    shape,
    tokenizer: tokenizer.json,
    matrices: weights.map(asStoredMatrix),
  };
}

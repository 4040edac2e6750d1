// Writes pairs of dialogues for programs that train models with DPO.
import { ConfigError } from '../../../base/errors.ts';
import { writePreferences } from '../../../formats/preferences.ts';
import { minePreferences } from '../../../training/imitation/minePreferences.ts';
import { assembleTeam } from '../../../training/team/team.ts';
import { withoutPairs } from '../../../../cli/elsewhere/examples.ts';
import { readyWorld } from '../../../../cli/engine.ts';
import { writePieces } from '../../../../cli/files.ts';
import type { Write } from '../../../../cli/stored/carrier.ts';

export const write: Write = async (stored, given, file) => {
  const { config } = stored.run;
  const by = given.oneOf('by', ['reward', 'verifier']) ?? 'reward';
  if (by === 'verifier' && !config.verifier.isTrained)
    throw new ConfigError('--by: this run trains no verifier to compare dialogues; use --by reward.');
  await readyWorld(config, await stored.archived.world());
  const team = assembleTeam(config);
  const encoder = new TextEncoder();
  await writePieces(file, async (take) => {
    let count = 0;
    for (const at of stored.archived.iterations) {
      const pairs = minePreferences(team, await stored.archived.trajectories(at), { minGap: 1e-6, by });
      count += pairs.length;
      take(encoder.encode(writePreferences(pairs)));
    }
    if (count === 0) throw new ConfigError(`--as preferences: ${withoutPairs(config)}.`);
  });
};

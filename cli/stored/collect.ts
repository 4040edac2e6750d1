// `cothink collect`: samples dialogues of a stored team on new problems, and keeps the dialogues whose reward is high
// enough.
import { ConfigError } from '../../src/base/errors.ts';
import { fileNameOf } from '../../src/config/runName.ts';
import { writeJsonl } from '../../src/formats/jsonl.ts';
import { yieldToMessages } from '../../src/training/team/gate.ts';
import { collectRollouts } from '../../src/training/collect/collect.ts';
import { seatTogether } from '../../src/training/run/seats.ts';
import { assembleTeam } from '../../src/training/team/team.ts';
import type { CommandArguments } from '../command.ts';
import { writePieces } from '../files.ts';
import { print } from '../print.ts';
import { measuredIn } from './measuredIn.ts';
import { checkpointIn, openStored, readyFor } from './openStored.ts';

/**
 * Problems and random draws are the same as in the iterations after the checkpoint, so repeating the command writes the
 * same file.
 */
export async function collect(given: CommandArguments): Promise<number> {
  const [place = ''] = given.rest;
  const stored = await openStored(place, checkpointIn(given));
  const most = given.whole('dialogues', 1);
  if (most !== undefined && given.has('rounds'))
    throw new ConfigError(
      '--dialogues: the number of dialogues and the number of rounds exclude each other; give one of them.',
    );
  const rounds = most === undefined ? (given.whole('rounds', 1) ?? 1) : Infinity;
  const least = given.number('filter-reward') ?? -Infinity;
  await readyFor(stored, given);
  const { run } = stored;
  const configOf = await measuredIn(given);
  const checkpoint = { ...stored.checkpoint, config: await configOf(stored.checkpoint.config) };
  const file = given.text('out') ?? `${fileNameOf(run.name)}-collected.jsonl`;
  const { roles } = assembleTeam(checkpoint.config).protocol;
  const agents = seatTogether(roles.map(() => ({ checkpoint, name: run.name })));
  const tally = { kept: 0, of: 0 };
  try {
    const { team, policies, judge, appraisers } = agents;
    const how = { policies, appraisers, onTurn: yieldToMessages, ...(judge && { judge }) };
    await writePieces(file, async (take) => {
      for (let round = 0; round < rounds && tally.of < (most ?? Infinity); round++) {
        const iteration = checkpoint.iteration + round;
        const sampled = await collectRollouts(team, { ...how, iteration });
        const trajectories = sampled.trajectories.slice(0, (most ?? Infinity) - tally.of);
        const kept = trajectories.filter(({ reward }) => reward >= least);
        take(new TextEncoder().encode(writeJsonl(iteration + 1, kept)));
        tally.kept += kept.length;
        tally.of += trajectories.length;
      }
    });
  } finally {
    agents.dispose();
  }
  print(given, { file, ...tally }, [`${file}: ${tally.kept} of ${tally.of} dialogues`]);
  return 0;
}

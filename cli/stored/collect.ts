// `cothink collect`: samples dialogues of a stored team on new problems, and keeps the dialogues whose reward is high
// enough.
import { fileNameOf } from '../../src/config/runName.ts';
import { writeJsonl } from '../../src/formats/jsonl.ts';
import { yieldToMessages } from '../../src/training/team/gate.ts';
import { collectRollouts } from '../../src/training/collect/collect.ts';
import { seatTogether } from '../../src/training/run/seats.ts';
import { assembleTeam } from '../../src/training/team/team.ts';
import type { CommandArguments } from '../command.ts';
import { writePieces } from '../files.ts';
import { print } from '../print.ts';
import { checkpointIn, openStored, readyFor } from './openStored.ts';

/**
 * Problems and random draws are the same as in the iterations after the checkpoint, so repeating the command writes the
 * same file.
 */
export async function collect(given: CommandArguments): Promise<number> {
  const [place = ''] = given.rest;
  const stored = await openStored(place, checkpointIn(given));
  const rounds = given.whole('rounds', 1) ?? 1;
  const least = given.number('filter-reward') ?? -Infinity;
  await readyFor(stored, given);
  const { run, checkpoint } = stored;
  const file = given.text('out') ?? `${fileNameOf(run.name)}-collected.jsonl`;
  const { roles } = assembleTeam(checkpoint.config).protocol;
  const agents = seatTogether(roles.map(() => ({ checkpoint, name: run.name })));
  const tally = { kept: 0, of: 0 };
  try {
    const { team, policies, judge, appraisers } = agents;
    const how = { policies, appraisers, onTurn: yieldToMessages, ...(judge && { judge }) };
    await writePieces(file, async (take) => {
      for (let round = 0; round < rounds; round++) {
        const iteration = checkpoint.iteration + round;
        const { trajectories } = await collectRollouts(team, { ...how, iteration });
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

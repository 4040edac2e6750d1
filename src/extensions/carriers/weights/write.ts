// Writes an agent as a Hugging Face model folder in a zip file.
import { turnsZip, weightsZip } from '../../../formats/weightsZip.ts';
import { agentTakenAway } from '../../../training/history/takenAway.ts';
import { writeWhole } from '../../../../cli/files.ts';
import { ofSession } from '../../../../cli/stored/carried.ts';
import type { Write } from '../../../../cli/stored/carrier.ts';

export const write: Write = (stored, given, file) =>
  ofSession(stored, given, async (session) => {
    const agent = given.whole('agent') ?? 0;
    const { source, models, isByTurn } = await agentTakenAway(session, agent, given.has('optimiser'));
    const content = (await stored.archived.world())?.content;
    const whole = { ...source, ...(content?.kind === 'module' && { module: content.source }) };
    await writeWhole(file, isByTurn ? turnsZip(whole, models) : weightsZip({ ...whole, ...models[0] }));
  });

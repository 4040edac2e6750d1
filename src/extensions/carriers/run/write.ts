// Writes the settings of a run as a run file.
import { writeRunFile } from '../../../formats/runFile.ts';
import { historyOf } from '../../../records/stored/checkpoint.ts';
import { writeWhole } from '../../../../cli/files.ts';
import type { Write } from '../../../../cli/stored/carrier.ts';

export const write: Write = async ({ archived, run }, _, file) => {
  const world = await archived.world();
  await writeWhole(file, writeRunFile({ name: run.name, ...historyOf(run), ...(world && { world }) }));
};

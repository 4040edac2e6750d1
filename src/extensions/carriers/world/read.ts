// Makes a world from a data set, and writes it as a world file, with a report of the rows that were rejected.
import { ConfigError, FormatError } from '../../../base/errors.ts';
import { promptBounds } from '../../../config/worlds/imported.ts';
import { writeWorldFile } from '../../../formats/worldFile.ts';
import type { CommandArguments } from '../../../../cli/command.ts';
import { writeWhole } from '../../../../cli/files.ts';
import { print } from '../../../../cli/print.ts';
import type { Reader } from '../../../../cli/stored/carrier.ts';
import { isDataset, readData } from '../../../../cli/worldFile.ts';

/** The number of rejected rows that people are shown. Programs get all of them. */
const shownRejections = 5;

async function importData(place: string, given: CommandArguments): Promise<number> {
  const { min, max } = promptBounds;
  const prompt = given.whole('prompt', min);
  if (prompt !== undefined && prompt > max) throw new ConfigError(`--prompt: expected at most ${max}, got ${prompt}.`);
  const { world, fault, first, ...report } = await readData(place, prompt);
  if (!world) throw new FormatError(`${place}: ${fault}`);
  const label = given.text('label') ?? world.form.label;
  const file = given.text('out') ?? place.replace(/(\.\w+)?$/, '.world');
  await writeWhole(file, writeWorldFile({ ...world, form: { ...world.form, label } }));
  const { kept, rows, unit, rejections } = report;
  print(given, { file, label, name: world.form.name, ...report, levels: world.form.levels, first }, [
    `${label} is in ${file}: ${kept} problems from ${rows} ${unit}${rows === 1 ? '' : 's'}.`,
    ...rejections.slice(0, shownRejections).map(({ row, reason }) => `${unit} ${row} is left out: ${reason}`),
    ...(rejections.length > shownRejections
      ? [`and ${rejections.length - shownRejections} more; --json lists all`]
      : []),
    `cothink train --world ${file} trains a team in it.`,
  ]);
  return 0;
}

export const reader: Reader = {
  takes: (place) => Promise.resolve(isDataset(place)),
  read: importData,
};

// Reads a visitor's file and makes a world from its rows.
import type { ImportApi } from '../src/api/importConnection.ts';
import { spoken } from '../src/base/spoken.ts';
import { readDataset } from '../src/formats/datasets/dataset.ts';
import { worldFromRows } from '../src/tasks/custom/imported/worldFromRows.ts';

export const importFile: ImportApi['importFile'] = async ({ file, vocabulary, prompt }, tell) => {
  const reading = spoken`Reading the file`;
  tell({ words: reading, readBytes: 0 });
  const read = await readDataset(file, { contextSigns: prompt }, (readBytes) => tell({ words: reading, readBytes }));
  tell({ words: spoken`Learning a vocabulary`, readBytes: null });
  return worldFromRows(read, file.name, { vocabulary, prompt });
};

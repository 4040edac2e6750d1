// The button that saves every stored dialogue.
import { say } from '../../../state/visitor/language.svelte.ts';
import { fileName, type Take } from '../../../ui/carriers/take.ts';
import { download } from '../../../ui/shell/download.ts';

export const take: Take = ({ run }) => [
  {
    label: say('Trajectories · Parquet'),
    title: say('Every stored dialogue as a row of a Parquet table, for pyarrow, pandas or DuckDB'),
    needs: 'dialogues',
    make: async () => download(fileName(run, '.parquet'), await run.trainer.ofRun.exportTrajectories('parquet')),
  },
];

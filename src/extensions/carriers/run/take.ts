// The button that saves the run file.
import { say } from '../../../state/visitor/language.svelte.ts';
import { fileName, type Take } from '../../../ui/carriers/take.ts';
import { download } from '../../../ui/shell/download.ts';

export const take: Take = ({ run, sharing }) => [
  {
    label: say('Run file'),
    title: say('Everything needed to repeat this run, as YAML'),
    needs: 'nothing',
    make: async () => download(fileName(run, '.yaml'), await sharing.runFile(), 'application/yaml'),
  },
];

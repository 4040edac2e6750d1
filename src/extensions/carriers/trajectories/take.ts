// The button that saves every stored dialogue.
import { say } from '../../../state/visitor/language.svelte.ts';
import { fileName, type Take } from '../../../ui/carriers/take.ts';
import { download } from '../../../ui/shell/download.ts';

export const take: Take = ({ run }) => [
  {
    label: say('Trajectories'),
    title: say('Every stored dialogue as JSONL chat messages'),
    needs: 'dialogues',
    make: async () => download(fileName(run, '.jsonl'), await run.trainer.ofRun.exportTrajectories('jsonl')),
  },
];

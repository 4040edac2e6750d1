// The button that saves every stored dialogue.
import { say } from '../../../state/visitor/language.svelte.ts';
import { inspectLogName } from '../../../records/logName.ts';
import { fileName, type Take } from '../../../ui/carriers/take.ts';
import { download } from '../../../ui/shell/download.ts';

export const take: Take = ({ run }) => [
  {
    label: say('Trajectories · Inspect'),
    title: say(
      'Every stored dialogue as a sample in a log of Inspect AI, with two scores: whether the answer is right, and the reward',
    ),
    needs: 'dialogues',
    make: async () =>
      download(
        run.view.run ? inspectLogName(run.view.run) : fileName(run, '.json'),
        await run.trainer.ofRun.exportTrajectories('inspect'),
      ),
  },
];

// The button that saves the verifier, if the run trains one.
import { say } from '../../../state/visitor/language.svelte.ts';
import { zipName, type Take } from '../../../ui/carriers/take.ts';
import { download } from '../../../ui/shell/download.ts';

export const take: Take = ({ run }) =>
  run.view.run?.config.verifier.isTrained
    ? [
        {
          label: say('Weights · verifier'),
          title: say(
            'The verifier as a LlamaForTokenClassification, which predicts after each token the probability that the answer is right',
          ),
          needs: 'weights',
          make: async () =>
            download(zipName(run, 'verifier'), await run.trainer.ofRun.exportVerifier(), 'application/zip'),
        },
      ]
    : [];

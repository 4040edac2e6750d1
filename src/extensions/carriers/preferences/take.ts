// The buttons that save pairs of dialogues, compared by reward or, if the run trains a verifier, by the verifier's
// score.
import type { ComparedBy } from '../../../records/stored/preference.ts';
import { say } from '../../../state/visitor/language.svelte.ts';
import { fileName, type Take } from '../../../ui/carriers/take.ts';
import { download } from '../../../ui/shell/download.ts';

export const take: Take = ({ run, tell }) => {
  /**
   * `none` is the message that is shown if there are no pairs although dialogues about the same problem were compared.
   */
  const save = async (by: ComparedBy, ending: string, none: string) => {
    const pairs = await run.trainer.ofRun.exportPreferences(by);
    if (pairs.size > 0) return download(fileName(run, ending), pairs);
    const isAlone = run.view.run?.config.learning.groupSize === 1;
    tell(
      say('There are no pairs yet: {none}.', {
        none: isAlone ? say('each problem has only one rollout, but a pair compares two') : none,
      }),
    );
  };
  const byReward = {
    label: say('Preference pairs'),
    title: say(
      'For each problem, a dialogue with a higher and one with a lower reward, as JSONL with the columns prompt, chosen and rejected',
    ),
    needs: 'dialogues',
    make: () => save('reward', '-pairs.jsonl', say('the dialogues of each problem earned the same reward')),
  } as const;
  const byVerifier = {
    label: say('Pairs by the verifier'),
    title: say('Pairs of dialogues about one problem, compared by the scores that the verifier gives to their answers'),
    needs: 'dialogues',
    make: () =>
      save(
        'verifier',
        '-pairs-by-verifier.jsonl',
        say('the verifier gives the dialogues of each problem the same score'),
      ),
  } as const;
  return run.view.run?.config.verifier.isTrained ? [byReward, byVerifier] : [byReward];
};

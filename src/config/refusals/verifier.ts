// What a verifier needs: answers to read, and for each use of its word the setting that asks for a word.
import type { Config } from '../schema.ts';

/** Refuses a verifier where turns are no answers, and uses of its word that nobody would hear. */
export function refuseImpossibleVerifier({ verifier, agents }: Config, refuse: (message: string) => never): void {
  const { isTrained, reward, feedback, consensus } = verifier;
  if (isTrained && agents.protocol === 'reMA') {
    refuse(
      'verifier.isTrained: turns of plan and reason are no whole answers to judge; use agents.protocol = debate, or verifier.isTrained = false.',
    );
  }
  if (!isTrained && reward > 0) {
    refuse('verifier.reward: there is no verifier to score answers; use verifier.isTrained = true, or verifier.reward = 0.'); // prettier-ignore
  }
  if (feedback === 'verifier' && !isTrained) {
    refuse('verifier.feedback: there is no verifier to ask; use verifier.isTrained = true, or verifier.feedback = world.'); // prettier-ignore
  }
  if (feedback === 'verifier' && !(agents.feedback && agents.protocol === 'debate')) {
    refuse(
      'verifier.feedback: nobody is told what answers are worth; use agents.feedback = true with agents.protocol = debate, or verifier.feedback = world.',
    );
  }
  if (consensus > 0 && !isTrained) {
    refuse('verifier.consensus: there is no verifier to score what is agreed; use verifier.isTrained = true, or verifier.consensus = 0.'); // prettier-ignore
  }
  if (consensus > 0 && !(agents.consensus > 0 && agents.protocol === 'debate')) {
    refuse(
      'verifier.consensus: the talk does not stop when agreed; use agents.consensus = 1 with agents.protocol = debate, or verifier.consensus = 0.',
    );
  }
}

// What a verifier needs: answers to read, and for each use of its word the setting that asks for a word.
import type { Config } from '../schema.ts';

/** Refuses a verifier where turns are no answers, and uses of its word that nobody would hear. */
export function refuseImpossibleVerifier({ verifier, agents }: Config, refuse: (message: string) => never): void {
  const { isTrained, reward, feedback, consensus } = verifier;
  // Candidates of a turn go with no verifier at all, so there the way back is named first.
  const either = (use: string, leave: string) => (agents.candidates > 1 ? `use ${leave}` : `use ${use}, or ${leave}`);
  if (isTrained && agents.protocol === 'reMA') {
    refuse(
      `verifier.isTrained: turns of plan and reason are no whole answers to judge; ${either('agents.protocol = debate', 'verifier.isTrained = false')}.`,
    );
  }
  if (!isTrained && reward > 0) {
    refuse(`verifier.reward: there is no verifier to score answers; ${either('verifier.isTrained = true', 'verifier.reward = 0')}.`); // prettier-ignore
  }
  if (feedback === 'verifier' && !isTrained) {
    refuse(`verifier.feedback: there is no verifier to ask; ${either('verifier.isTrained = true', 'verifier.feedback = world')}.`); // prettier-ignore
  }
  if (feedback === 'verifier' && !(agents.feedback && agents.protocol === 'debate')) {
    refuse(
      `verifier.feedback: nobody is told what answers are worth; ${either('agents.feedback = true with agents.protocol = debate', 'verifier.feedback = world')}.`,
    );
  }
  if (consensus > 0 && !isTrained) {
    refuse(`verifier.consensus: there is no verifier to score what is agreed; ${either('verifier.isTrained = true', 'verifier.consensus = 0')}.`); // prettier-ignore
  }
  if (consensus > 0 && !(agents.consensus > 0 && agents.protocol === 'debate')) {
    refuse(
      `verifier.consensus: the talk does not stop when agreed; ${either('agents.consensus = 1 with agents.protocol = debate', 'verifier.consensus = 0')}.`,
    );
  }
}

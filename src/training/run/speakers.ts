// The stage that prepares an iteration's dialogues: the policies of the agents, the function that scores answers, and
// the functions that examine dialogues before rewards are assigned.
import { agentPolicies } from '../collect/agentPolicies.ts';
import type { TeamRequest } from '../collect/collect.ts';
import { influenceAppraisers } from '../collect/influencePass.ts';
import { stage } from '../stages/stage.ts';
import { verifierInRollout } from '../verifier/trainedVerifier.ts';

declare module '../stages/stage.ts' {
  interface Parts {
    speakers: Pick<TeamRequest, 'policies' | 'judge' | 'appraisers'>;
  }
}

export const speakersStage = stage({
  name: 'speakers',
  phase: 'collect',
  reads: [],
  run: (context) => {
    const { judge, appraisers = [] } = verifierInRollout(context.verifier, context);
    return {
      speakers: {
        policies: agentPolicies(context),
        ...(judge && { judge }),
        appraisers: [...appraisers, ...influenceAppraisers(context)],
      },
    };
  },
});

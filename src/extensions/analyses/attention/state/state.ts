// The request for the attention at one token on the page.
import { Asked } from '../../../../state/analyses/asked.svelte.ts';
import type { AnalysisParts } from '../../../../state/analyses/analysis.ts';

export function makeState({ trainer, selection }: AnalysisParts) {
  const asked = new Asked('attention', trainer);
  return {
    asked,
    /** Makes the request for a token of the displayed turn. */
    show: (token: number) => {
      const { group, rollout, turnIndex: turn } = selection;
      const run = trainer.view.run?.id;
      if (!run || !group || !rollout) return;
      void asked.ask({ run, iteration: group.iteration, trajectory: rollout.trajectory.index, turn, token });
    },
  };
}
export type AttentionState = ReturnType<typeof makeState>;

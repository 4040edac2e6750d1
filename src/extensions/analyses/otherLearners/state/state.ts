// The request for the advantages with other learners, which the page makes once for each displayed group.
import { Asked } from '../../../../state/analyses/asked.svelte.ts';
import type { AnalysisParts } from '../../../../state/analyses/analysis.ts';

export function makeState({ trainer, selection }: AnalysisParts) {
  const asked = new Asked('otherLearners', trainer);
  return {
    asked,
    /** Makes the request for the displayed group. */
    show: () => {
      const { group } = selection;
      const run = trainer.view.run?.id;
      if (run && group) void asked.ask({ run, iteration: group.iteration, group: group.group });
    },
  };
}
export type OtherLearnersState = ReturnType<typeof makeState>;

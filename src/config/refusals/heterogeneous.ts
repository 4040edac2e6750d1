// What agents of differing sizes or vocabularies cannot do: change places, and read as one network what others wrote.
import { agentCount } from '../agentCount.ts';
import type { Config } from '../schema.ts';

/** Whether some agent differs from the first. */
export const areUnequal = ({ otherSize, otherVocabulary }: Config['agents']) =>
  otherSize !== 'same' || otherVocabulary !== 'same';

/** Refuses settings of the other agents where there are none, and what only equal agents can do. */
export function refuseImpossibleHeterogeneous({ agents, learning }: Config, refuse: (message: string) => never): void {
  const { parameters, otherSize } = agents;
  if (parameters === 'heterogeneous' && agentCount(agents) === 1) {
    refuse('agents.parameters: one agent alone is no unequal team; use agents.parameters = separate.');
  }
  if (!areUnequal(agents)) return;
  const field = otherSize === 'same' ? 'agents.otherVocabulary' : 'agents.otherSize';
  if (agentCount(agents) === 1) refuse(`${field}: there is no other agent; use ${field} = same.`);
  if (parameters !== 'heterogeneous') {
    refuse(`${field}: only unequal agents differ; use agents.parameters = heterogeneous, or ${field} = same.`);
  }
  if (learning.learner === 'cory') {
    refuse(`${field}: the two of cory start as copies of one network; use ${field} = same.`);
  }
  if (agents.swapEvery > 0) {
    refuse('agents.swapEvery: unequal agents cannot exchange roles; use agents.swapEvery = 0.');
  }
  if (agents.otherVocabulary === 'same') return;
  if (learning.pairsFrom === 'imported') {
    refuse('agents.otherVocabulary: imported pairs are read in one vocabulary; use agents.otherVocabulary = same.');
  }
}

// What SFT imitates. Part of the section `learning`.
import { choice } from '../field.ts';
import { learnerIs } from '../learnerFacts.ts';
import { imitationSources } from '../names.ts';

export const imitationFields = {
  imitate: choice(imitationSources, 'own', {
    label: 'Imitate',
    help: 'The team’s own right dialogues, or worked dialogues of the world, as a warm start learns from: as many in each iteration as the team holds, and others in each. With worked ones, what the team says meanwhile is only measured.',
    source: 'STaR 2203.14465; ReMA 2503.09501',
    group: 'Imitation',
    matters: [{ 'learning.learner': learnerIs(({ loss }) => loss === 'imitation') }],
    labels: { own: 'own right dialogues', demonstrations: 'demonstrations' },
  }),
};

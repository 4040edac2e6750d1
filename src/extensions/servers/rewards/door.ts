// Serves numbers for external trainers: the rewards that a world gives to completions, and a verifier's probabilities
// that completions are right.
import { answering, type Door } from '../../../../cli/serve/door.ts';
import { rewardsFor } from './rewards.ts';
import { beliefsIn } from './verify.ts';

export const door: Door = {
  routes: {
    '/reward': answering(({ worlds }, { body, left }) =>
      rewardsFor(body, worlds?.list.map(({ world }) => world) ?? [], left),
    ),
    '/verify': answering(({ session, models }, { body, left }) => {
      const work = () => beliefsIn(body, session);
      return models ? models.line.join(work, left) : work();
    }),
  },
  says: ({ session }) => (session ? '/reward and /verify' : '/reward'),
};

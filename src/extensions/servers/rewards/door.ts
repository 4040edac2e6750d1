// Numbers for trainers elsewhere: the rewards of completions by a world, and what a run's verifier believes of them.
import { answering, type Door } from '../../../../cli/serve/door.ts';
import { rewardsFor } from './rewards.ts';
import { beliefsIn } from './verify.ts';

export const door: Door = {
  routes: {
    '/reward': answering(({ world }, { body, left }) => rewardsFor(body, world?.world ?? null, left)),
    '/verify': answering(({ session, models }, { body, left }) => {
      const work = () => beliefsIn(body, session);
      return models ? models.line.join(work, left) : work();
    }),
  },
  says: ({ session }) => (session ? '/reward and /verify' : '/reward'),
};

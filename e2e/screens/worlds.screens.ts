// Takes a picture of every world, with the first preset that uses it.
import { test } from '../browser.ts';
import { untilState } from '../contract.ts';
import { plannedWorlds } from '../../bench/worlds/plan.ts';
import { shoot } from './shoot.ts';

for (const [at, { name, world }] of plannedWorlds.entries()) {
  if (plannedWorlds.findIndex((planned) => planned.world === world) !== at) continue;
  test(world, async ({ visit }) => {
    const few = 'backend=cpu&seed=11&iterations=2&evaluation.problems=32&learning.problemsPerIteration=8';
    const { page } = await visit(`/?preset=${name}&${few}&autostart=1`);
    await untilState(page, ['done'], 240_000);
    await shoot(page, `world-${world}`);
  });
}

import { beforeAll, it, expect } from 'vitest';
import { startCpuEngine } from './testing/cpuEngine.ts';
import { startRun } from './testing/microRun.ts';
beforeAll(startCpuEngine);
it('x', async () => {
  const { session, events, collected } = await startRun();
  const t = performance.now();
  await session.train(6);
  console.log((performance.now() - t)/6);
  for (const e of events) if (e.kind === 'iteration') console.log(JSON.stringify(e.metrics.values));
  console.log(collected()[0]!.slice(0,6).map(t=>[t.reward,t.finishCode,t.turns.map(x=>x.text+(x.isFinish?'#':'')+(x.isTruncated?'/':''))].join(' ')).join('\n'));
  expect(1).toBe(1);
});

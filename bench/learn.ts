// Does the team learn? `npm run bench:learn`: the default preset on the CPU path, three
// seeds from the shipped warm start, three more each from its own, with the controls
// beside them. Writes bench/results/learn.json. Each (start, seed) runs in a process of its own.
import { learnOnce, type Learned } from './learn/once.ts';
import { learnColumns, learnTables, summary, type LearnResults } from './learn/table.ts';
import { inTurns, machine, renewDocs, runBench, writeResults } from './shared/runner.ts';
import { table } from './shared/table.ts';

const seeds = [11, 12, 13];
const starts = ['shipped', 'train'] as const;
const atOnce = 2;

interface Job {
  start: (typeof starts)[number];
  seed: number;
}

await runBench<Job, Learned>({
  measure: ({ start, seed }) => learnOnce(start, seed),
  all: async (apart) => {
    const jobs = starts.flatMap((start) => seeds.map((seed) => ({ start, seed })));
    const done = new Map<Job, Learned>();
    const isWhole = await inTurns(jobs, atOnce, async (job) => {
      const learned = await apart(job);
      done.set(job, learned);
      console.log(`\n${job.start}:\n${table(learnColumns, [learned])}`);
    });
    if (!isWhole) return false;
    const of = (wanted: Job['start']) =>
      jobs.filter(({ start }) => start === wanted).map((job) => done.get(job) as Learned);
    const [shipped, own] = [of('shipped'), of('train')];
    const results: LearnResults = {
      preset: 'default',
      backend: (shipped[0] as Learned).backend,
      machine: `${machine}, ${atOnce} runs at once`,
      seeds: shipped,
      ownWarmStart: own,
      summary: { shipped: summary(shipped), ownWarmStart: summary(own) },
    };
    writeResults('learn', results);
    console.log(`\n${learnTables(results)}\n`);
    for (const [name, { meanAfter, low, high, isMet }] of Object.entries(results.summary)) {
      const interval = `95 % t-interval ${low.toFixed(3)} to ${high.toFixed(3)}`;
      console.log(`${name}: mean after ${meanAfter.toFixed(3)}, ${interval}: ${isMet ? 'met' : 'NOT met'}`);
    }
    renewDocs();
    return results.summary.shipped.isMet;
  },
});

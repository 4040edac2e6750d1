// Tests that files and links of earlier versions of the page can still be read. The samples were made with the code of
// the earlier versions.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readJsonl } from './testing/readJsonl.ts';
import { readLink } from './link.ts';
import { readRunFile } from './runFile.ts';

const sample = (name: string) => readFileSync(new URL(`testing/former/${name}`, import.meta.url), 'utf8');

describe('of earlier versions', () => {
  it('run files open, and report the current name of a renamed setting', () => {
    const notes: string[] = [];
    const { config, changes } = readRunFile(sample('planner.yaml'), false, notes);
    expect(config.houseRule).toEqual({ legalOperation: 0.25, rewrite: 0.5 });
    expect(config.reward).toMatchObject({ over: 'dense', shaping: 0.1, finished: 1, format: 0, length: 0 });
    expect(changes).toEqual([{ iteration: 1, path: 'houseRule.rewrite', value: 0.75 }]);
    expect(notes).toContain('reward.rewrite was read as houseRule.rewrite, the current name of this setting.');
    expect(notes).toHaveLength(2);
    expect(readRunFile(sample('debaters.yaml')).config).toMatchObject({
      agents: { protocol: 'debate', informed: 'half', feedback: true },
      houseRule: { rewrite: 0.5 },
    });
    expect(readRunFile(sample('trees.yaml')).config.houseRule.legalOperation).toBe(0.25);
  });

  it('the setting of a second world is read as an entry of world.also, and so are its changes', () => {
    const notes: string[] = [];
    const { config, changes } = readRunFile(sample('twoWorlds.yaml'), false, notes);
    const place = (weight: number) => [{ name: 'entailment', level: 2, weight }];
    expect(config.world.also).toEqual(place(1 / 3));
    expect(changes).toEqual([{ iteration: 3, path: 'world.also', value: place(1) }]);
    expect(notes).toContain('world.secondShare was read as world.also, the current name of this setting.');
    const link = readLink(
      '?world.name=wordProblems&agents.protocol=single&world.secondLevel=2&world.second=entailment&world.secondShare=0.25',
    );
    expect([link.errors, link.config.world.also, link.notes.length]).toEqual([[], place(1 / 3), 3]);
    for (const share of [0.05, 0.95]) {
      const { errors } = readLink(
        `?world.name=wordProblems&agents.protocol=single&world.second=entailment&world.secondShare=${share}`,
      );
      expect(errors).toEqual([]);
    }
  });

  it('forks open with their parents, whose settings were renamed as well', () => {
    const { fork, changes, config } = readRunFile(sample('fork.yaml'));
    expect(fork?.parent.config.houseRule).toEqual({ legalOperation: 0.25, rewrite: 0.5 });
    expect(fork?.parent.changes[0]?.path).toBe('houseRule.rewrite');
    expect(config.houseRule.rewrite).toBe(0.75);
    expect(changes).toEqual([{ iteration: 3, path: 'houseRule.legalOperation', value: 0 }]);
  });

  it('links open, and report the same notes', () => {
    const links = sample('links.txt')
      .trim()
      .split('\n')
      .map((search) => readLink(search));
    expect(links.map(({ errors }) => errors)).toEqual([[], [], [], []]);
    expect(links.map(({ config }) => config.houseRule)).toEqual([
      { legalOperation: 0.25, rewrite: 0.5 },
      { legalOperation: 0.5, rewrite: 0.5 },
      { legalOperation: 0.25, rewrite: 0.5 },
      { legalOperation: 0.25, rewrite: 0.5 },
    ]);
    expect(links.at(-1)?.notes).toEqual([
      'reward.legalOperation was read as houseRule.legalOperation, the current name of this setting.',
      'reward.rewrite was read as houseRule.rewrite, the current name of this setting.',
    ]);
  });

  it('trajectories open from their JSON lines, each problem as what it says today', () => {
    const lines = sample('trajectories.jsonl');
    const read = readJsonl(lines);
    const former = lines
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Former);
    expect(read).toHaveLength(former.length);
    read.forEach(({ iteration, trajectory }, i) => {
      const { problem, turns, messages, ...line } = former[i] as Former;
      expect([iteration, trajectory.reward]).toEqual([line.iteration, line.reward]);
      expect(trajectory.problem).toEqual({
        ...{ id: problem.id, world: 'houseRule', level: problem.level, shown: problem.expression },
        ...{ hidden: { rule: `<${problem.rule}>` }, answer: problem.answer },
        ...{ slice: problem.rule, given: { rule: problem.rule } },
      });
      expect(trajectory.turns.map(({ text }) => text)).toEqual(messages.slice(2).map(({ content }) => content));
      expect(trajectory.turns.map(({ parts, tokens }) => ({ parts, tokens }))).toEqual(
        turns.map(({ parts, tokens }) => ({ parts, tokens })),
      );
    });
  });
});

interface Former {
  iteration: number;
  reward: number;
  problem: { id: string; level: number; expression: string; rule: string; answer: string };
  turns: { parts: object; tokens: number[] }[];
  messages: { content: string }[];
}

// Tests of a setting whose value is a set of agents, in links, in run files and in the form.
import { expect, it } from 'vitest';
import { parseConfig, withSetting } from '../../config/parse.ts';
import { readLink, writeLink } from '../../formats/link.ts';
import { readRunFile, writeRunFile } from '../../formats/runFile.ts';
import { draftOf, edited } from './draft.ts';

const config = parseConfig({
  agents: { protocol: 'debate', count: 3, parameters: 'separate' },
  learning: { frozen: [0, 2] },
  warmStart: { source: 'train' },
});

it('a set of agents goes through a link and through a run file', () => {
  const query = writeLink({ preset: 'default', config });
  expect(decodeURIComponent(query)).toContain('learning.frozen=0,2');
  expect(readLink(query)).toMatchObject({ config, errors: [] });
  expect(readLink('?learning.frozen=0,x').errors[0]?.message).toContain('got "0,x"');
  const changes = [{ iteration: 3, path: 'learning.frozen', value: [1] }];
  const text = writeRunFile({ preset: 'default', config, changes, imports: [] });
  expect(text).toContain('\n  frozen: [0, 2]\n');
  expect(text).toContain('Preset: none.');
  expect(readRunFile(text)).toEqual({ preset: 'default', config, changes, imports: [] });
  expect(() => readRunFile('format: 1\nlearning:\n  frozen: 0\n')).toThrow('line 3, column 11: learning.frozen');
  expect(() => readRunFile('format: 1\nlearning:\n  frozen: [9]\n')).toThrow('got [9]');
});

it('a set of agents is mended in the form by the set that the refusal names', () => {
  const draft = edited(draftOf(config), 'learning.frozen', [0, 1, 2]);
  expect(draft.error?.remedy).toEqual({
    settings: { 'learning.frozen': [0, 1] },
    changes: ['Frozen agents: agent 1, agent 2'],
    words: 'Set Frozen agents to agent 1, agent 2',
  });
  const left = edited(draftOf(withSetting(config, 'learning.frozen', [2])), 'agents.count', 2);
  expect(left.error).toMatchObject({
    at: 'agents.count',
    remedy: { settings: { 'learning.frozen': [] }, words: 'Set Frozen agents to nobody' },
  });
});

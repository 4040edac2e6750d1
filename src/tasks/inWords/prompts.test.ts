import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../base/errors.ts';
import { parseConfig } from '../../config/parse.ts';
import { protocolOf } from '../../records/protocol.ts';
import type { HeardInWords } from '../world.ts';
import { chatFrom, dutyOf, expectPromptNames, type ChatReader } from './prompts.ts';
import type { PromptTexts } from './names.ts';

const texts: PromptTexts = {
  start: 'Q: {question}',
  'hidden.rule': 'Rule: {rule}.',
  heard: '{speaker}: "{message}"',
  'heard.pioneer': 'First: {message}',
  observed: 'Seen: {message}',
  ask: 'Answer.',
  'ask.plan': 'Plan.',
  'ask.observer': 'Observe.',
  'again.plan': 'Plan again.',
};
const facts = { question: '1 + 2', rule: 'left to right' };
const reader = { role: 'metaThinking', duty: 'plan', sees: [], heard: [] } satisfies ChatReader;
const said = (text: string, more: Partial<HeardInWords> = {}): HeardInWords => ({
  ...{ role: 'reasoning', agent: 1, isOwn: false, text },
  ...more,
});
const chat = (more: Partial<ChatReader> = {}, layers: readonly PromptTexts[] = [texts]) =>
  chatFrom(layers, facts, { ...reader, ...more }).map(({ role, content }) => `${role}: ${content}`);

describe('a chat', () => {
  it('begins with the start, what the agent sees and what it heard, and ends with the request', () => {
    expect(chat()).toEqual(['user: Q: 1 + 2 Plan.']);
    expect(chat({ sees: ['rule'], heard: [said(' 3 ')] })).toEqual([
      'user: Q: 1 + 2 Rule: left to right. reasoner: "3" Plan.',
    ]);
  });

  it('contains the agent’s own turns as those of the assistant, and asks again after them', () => {
    const heard = [said('1 + 2', { isOwn: true }), said('3'), said('ok', { isWorld: true })];
    expect(chat({ heard })).toEqual([
      'user: Q: 1 + 2 Plan.',
      'assistant: 1 + 2',
      'user: reasoner: "3" Seen: ok Plan again.',
    ]);
  });

  it('has a system message only if there is a text for it', () => {
    expect(chat({}, [{ 'system.metaThinking': 'You plan.' }, texts])[0]).toBe('system: You plan.');
  });

  it('uses texts by role, then by duty, then general ones, and the first layer before others', () => {
    const last = (more: Partial<ChatReader>, layers?: readonly PromptTexts[]) =>
      chat(more, layers).at(-1)?.split(' ').at(-1);
    expect(last({ role: 'observer', duty: 'plan' })).toBe('Observe.');
    expect(last({ role: 'reasoning', duty: 'step' })).toBe('Answer.');
    expect(last({ role: 'observer' }, [{ ask: 'Mine.' }, texts])).toBe('Mine.');
    expect(chat({ heard: [said('x', { role: 'pioneer' })] })[0]).toContain('First: x');
  });

  it('inserts messages as they are, whatever they contain', () => {
    for (const text of ['{rule}', '{message}', '$&', '$1', '{nothing}'])
      expect(chat({ heard: [said(text)] })[0]).toContain(`"${text}"`);
  });

  it('has no space after a line break', () => {
    expect(chat({}, [{ start: 'A\n', ask: 'B' }])).toEqual(['user: A\nB']);
  });

  it('is refused if a placeholder has no fact, with the available facts', () => {
    expect(() => chat({}, [{ ask: 'What is {colour}?' }])).toThrow(ConfigError);
    expect(() => chat({}, [{ ask: 'What is {colour}?' }])).toThrow(
      /"ask" contains \{colour\}.*use \{question\}, \{rule\}/,
    );
    expect(() => chat({}, [{ ask: '{toString}' }])).toThrow(ConfigError);
  });
});

it('names of texts end with a role or a duty, and hidden texts with their names', () => {
  expectPromptNames({ ask: '', 'ask.plan': '', 'system.observer': '', 'hidden.rule': '', 'heard.pioneer': '' }, [
    'rule',
  ]);
  for (const name of ['asks', 'ask.rule', 'ask.plan.step', 'hidden', 'hidden.map', 'toString', ''])
    expect(() => expectPromptNames({ [name]: '' }, ['rule'])).toThrow(/agents\.prompts: there is no text/);
});

it.each([
  ['reMA', ['plan', 'step']],
  ['tell', ['tell', 'answer']],
  ['single', ['answer']],
  ['pioneerObserver', ['answer', 'answer']],
  ['summary', ['answer', 'answer', 'answer']],
  ['memoryLoop', ['plan', 'step']],
  ['memoryAlone', ['alone']],
  ['toolLoop', ['alone']],
] as const)('the duties in the protocol %s are %j', (name, duties) => {
  const protocol = protocolOf({ ...parseConfig({}).agents, protocol: name }, { hidden: [] });
  expect(protocol.roles.map((_, agent) => dutyOf(protocol, agent))).toEqual(duties);
});

// A size is called by its parameters in the world that is chosen.
import { expect, it } from 'vitest';
import { fieldAt, type ChoiceField } from '../../config/describe.ts';
import { choiceLabel } from './choiceLabel.ts';

const field = (path: string) => fieldAt(path) as ChoiceField;

it('a size has as many parameters as the vocabulary of the world asks for', () => {
  const size = field('agents.size');
  // 48 numbers a token: 57,072 with 32 tokens, 196,608 more with 4,096 more.
  expect(choiceLabel(size, 'tiny', { tokens: 32 })).toBe('Tiny · 57k');
  expect(choiceLabel(size, 'tiny', { tokens: 4128 })).toBe('Tiny · 254k');
  expect(choiceLabel(size, 'tiny', {})).toBe('Tiny');
  expect(choiceLabel(field('world.name'), 'code', { tokens: 32 })).toBe('Code');
});

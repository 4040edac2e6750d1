// Questions to a verifier end soon, whatever tokenizer the run has.
import { expect, it } from 'vitest';
import { presetConfig } from '../../../config/presets.ts';
import { assembleTeam } from '../../../training/team/team.ts';
import { rowsAsked } from './verify.ts';

const team = assembleTeam(presetConfig('micro'));
const [problem] = team.world.heldOut(1, 1);

/** So long that a test without the bound would end too. */
const searching = () => {
  for (const untilMs = performance.now() + 20_000; performance.now() < untilMs;);
  return [];
};

it('completions become rows of tokens that end with what the verifier judges', async () => {
  const rows = await rowsAsked({ problem, completions: ['5', ['4*2', '8']] }, team);
  expect(rows.map(({ tokens, start }) => team.tokenizer.decode(tokens.slice(start)))).toEqual([
    '<reason>5<eot>',
    '<meta>4*2<eot><reason>8<eot>',
  ]);
});

it('a tokenizer that searches without end is broken off and named, and nobody waits for it', async () => {
  const tokenizers = team.tokenizers.map((own) => ({ ...own, encode: searching }));
  const asked = rowsAsked({ problem, completions: ['5'] }, { ...team, tokenizers });
  await expect(asked).rejects.toMatchObject({ status: 422, message: expect.stringContaining('shorten the text') });
}, 30_000);

// Tests the checks of battery.ts on the built-in worlds, and on worlds that have one fault each, which the checks must
// find.
import { describe, expect, it } from 'vitest';
import { protocolsFor } from '../../config/worlds/rules.ts';
import { world as houseRule } from '../../extensions/worlds/houseRule/world.ts';
import type { World } from '../world.ts';
import * as checks from './battery.ts';
import { readingWorld } from './readingWorld.ts';

checks.battery(houseRule, protocolsFor(houseRule));

const trial = (given: Partial<World>, world = houseRule) =>
  checks.trialOf({ ...world, ...given }, 1, ['reMA', 'single'], 300);

it('the checks find no fault in a world that reacts to messages', async () => {
  const reading = checks.trialOf(readingWorld, 1, ['reMA']);
  expect(await checks.faultsOfSolver(reading)).toEqual([]);
  expect(await checks.faultsOfRandomTokens(reading)).toEqual([]);
  expect(checks.faultsOfTexts(reading)).toEqual([]);
});

describe('a fault is found', () => {
  const { draw, demonstrate, assess, judge, view, limits, ceiling, heldOut } = houseRule;

  it('if draws do not depend on the seed alone, or all seeds draw the same', () => {
    let calls = 0;
    const counted: World['draw'] = (...given) => ({ ...draw(...given), id: `${calls++}` });
    expect(checks.faultsOfDrawing(trial({ draw: counted }))[0]).toBe('the same seed draws other problems');
    const [one] = trial({}).problems;
    expect(checks.faultsOfDrawing(trial({ draw: () => one! }))).toEqual(['another seed draws the same problems']);
  });

  it('if a problem cannot be stored unchanged', () => {
    const dropped = trial({ draw: (...given) => ({ ...draw(...given), more: 1 }) as never });
    expect(checks.faultsOfDrawing(dropped)[0]).toContain('is stored otherwise');
  });

  it('if a held-out problem occurs in training or changes, or a slice is too large', () => {
    const leaky = trial({ draw: (level, draws) => draw(level, draws, draws.pick(['training', 'heldOut'])) });
    expect(checks.faultsOfSplits(leaky)[0]).toContain('heldOut, and trained on');
    expect(checks.faultsOfSplits(trial({ heldOut: (level, count) => heldOut(level, count).reverse() }))).toContain(
      'fewer held-out problems are others',
    );
    const uneven: World['heldOut'] = (level, count) =>
      heldOut(level, count).map((one, i) => (i < 9 ? { ...one, slice: 'precedence' } : one));
    expect(checks.faultsOfSplits(trial({ heldOut: uneven }))[0]).toContain('slices are held out');
    const repeating: World['heldOut'] = (level, count) =>
      heldOut(level, count).map((one, i, all) => (i === 3 ? all[0]! : one));
    expect(checks.faultsOfSplits(trial({ heldOut: repeating }))).toContain('only 299 of 300 held-out problems differ');
    expect(checks.faultsOfSplits(trial({ heldOut: () => [] }))).toContain('0 are held out, not 300');
  });

  it('if a text has a wrong form, is too long for its window, or does not end', () => {
    const tight = trial({ limits: (...given) => ({ ...limits(...given), promptWindow: 7 }) });
    expect(checks.faultsOfTexts(tight)[0]).toMatch(/the prompt “.*” has 8 tokens, not 7/);
    const short = trial({ limits: (...given) => ({ ...limits(...given), roundLimit: 2 }) });
    expect(checks.faultsOfTexts(short)[0]).toContain('round 2 is one too many');
    const endless = trial({ demonstrate: () => [{ agent: 0, round: 0, message: '4*2' }] });
    expect(checks.faultsOfTexts(endless)[0]).toContain('has no end');
    expect(() => checks.faultsOfTexts(trial({ view: (...given) => `${view(...given)}?` }))).toThrow('vocabulary');
  });

  it('if a ceiling is no share, or falls when agents see more', () => {
    expect(checks.faultsOfCeilings(trial({ ceiling: () => 1.5 }))[0]).toBe('ceiling of [] is 1.5');
    const upside = trial({ ceiling: (level, sees) => 1 - ceiling(level, sees) });
    expect(checks.faultsOfCeilings(upside)).toEqual(['[] knows more without rule']);
  });

  it('if a solver or a judge is wrong, or an assessment is out of bounds', async () => {
    const blind = trial({
      demonstrate: (one, draws, _, protocol) => demonstrate(one, draws, { goodPlans: 0, resultNoise: 0.5 }, protocol),
    });
    expect((await checks.faultsOfSolver(blind))[0]).toContain('is not right');
    const deaf = trial({ judge: (one, message) => judge(one, { ...message, text: '' }) });
    expect((await checks.faultsOfSolver(deaf))[0]).toContain('is judged wrong');
    const generous = trial({
      assess: async (...given) => {
        const found = await assess(...given);
        return { ...found, perTurn: found.perTurn.map((turn) => ({ ...turn, parts: { kindness: 1, finished: 2 } })) };
      },
    });
    const faults = await checks.faultsOfSolver(generous);
    expect(faults[0]).toContain('a turn has 1 of kindness');
    expect(faults[1]).toContain('a turn has 2 of finished');
    const forgetful = trial({ assess: async (...given) => ({ ...(await assess(...given)), potentials: [] }) });
    expect((await checks.faultsOfRandomTokens(forgetful))[0]).toContain('there are 0 potentials');
  });

  it('if a vocabulary lacks a special token or has it under another id', () => {
    const [characters, joined] = [houseRule.tokenizers['characters']!, houseRule.tokenizers['joined']!];
    const without = JSON.parse(JSON.stringify(joined).replaceAll('<pioneer>', '<missing>')) as object;
    expect(() =>
      checks.faultsOfVocabularies({ world: { ...houseRule, tokenizers: { characters, joined: without } } }),
    ).toThrow();
    const swapped = JSON.stringify(joined)
      .replaceAll('<eot>', '<x>')
      .replaceAll('<bos>', '<eot>')
      .replaceAll('<x>', '<bos>');
    const moved = { ...houseRule, tokenizers: { characters, joined: JSON.parse(swapped) as object } };
    expect(checks.faultsOfVocabularies({ world: moved })).toContain('<eot> has another id elsewhere');
  });
});

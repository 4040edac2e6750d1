import { describe, expect, it } from 'vitest';
import { speakIn } from '../../base/spoken.ts';
import { describeFields, fieldAt, type NumberField } from '../../config/describe.ts';
import { hasSlider, keyedValue, positionOf, typedValue, valueAtPosition } from './scale.ts';

const numbers = describeFields().filter(
  (field): field is NumberField => field.kind === 'real' || field.kind === 'whole',
);
const at = (path: string) => fieldAt(path) as NumberField;

describe('the scale of a slider', () => {
  it('reaches both ends of every field, and never leaves its bounds', () => {
    for (const field of numbers) {
      expect(valueAtPosition(field, 0), field.path).toBe(field.min);
      expect(valueAtPosition(field, 1), field.path).toBe(field.max);
      for (let i = 0; i <= 20; i++) {
        const value = valueAtPosition(field, i / 20);
        expect(value).toBeGreaterThanOrEqual(field.min);
        expect(value).toBeLessThanOrEqual(field.max);
        if (field.kind === 'whole') expect(Number.isInteger(value)).toBe(true);
      }
    }
  });

  it('returns the default of every field to within two digits', () => {
    for (const field of numbers.filter(hasSlider)) {
      const back = valueAtPosition(field, positionOf(field, field.fallback));
      const step = typeof field.step === 'number' ? field.step / 2 : 0;
      expect(Math.abs(back - field.fallback), field.path).toBeLessThanOrEqual(
        Math.max(step, 0.05 * field.fallback) + 1e-12,
      );
    }
  });

  it('gives each decade of the learning rate the same room', () => {
    const field = at('optimiser.learningRate');
    expect(positionOf(field, 1e-4) - positionOf(field, 1e-5)).toBeCloseTo(
      positionOf(field, 1e-2) - positionOf(field, 1e-3),
      10,
    );
    expect(valueAtPosition(field, positionOf(field, 3e-4))).toBe(3e-4);
  });

  it('separates 0 from the smallest value of a logarithmic field', () => {
    const field = at('kl.coef');
    expect(valueAtPosition(field, 0)).toBe(0);
    expect(positionOf(field, 1e-6)).toBeGreaterThan(0);
  });

  it('moves by one step with an arrow key and farther with a page key, within its bounds', () => {
    const level = at('world.level');
    expect(['ArrowRight', 'ArrowUp', 'PageUp'].map((key) => keyedValue(level, 1, key))).toEqual([2, 2, 3]);
    expect(['ArrowLeft', 'PageDown'].map((key) => keyedValue(level, 1, key))).toEqual([1, 1]);
    expect(keyedValue(at('run.iterations'), 100, 'ArrowRight')).toBe(110);
    expect(keyedValue(at('run.iterations'), 100, 'PageUp')).toBe(200);
    expect(keyedValue(at('optimiser.weightDecay'), 0.29, 'ArrowRight')).toBe(0.3);
    expect([keyedValue(level, 2, 'Home'), keyedValue(at('optimiser.learningRate'), 1e-3, 'ArrowUp')]).toEqual([
      null,
      null,
    ]);
    for (const field of numbers.filter(hasSlider))
      for (const key of ['ArrowRight', 'ArrowLeft', 'PageUp', 'PageDown']) {
        const next = keyedValue(field, field.fallback, key);
        if (next === null) continue;
        expect(next >= field.min && next <= field.max, field.path).toBe(true);
        if (field.kind === 'whole') expect(Number.isInteger(next), field.path).toBe(true);
      }
  });

  it('has no slider for a seed', () => {
    expect(hasSlider(at('run.seed'))).toBe(false);
  });

  it('reads numbers as people write them, and returns other texts unchanged', () => {
    const real = at('optimiser.learningRate');
    expect([' 3e-4 ', '0,2', '−1', 'fast', ''].map((text) => typedValue(real, text))).toEqual([
      3e-4,
      0.2,
      -1,
      'fast',
      '',
    ]);
    for (const field of numbers)
      for (const text of ['1,000', '1 000', '0x10']) expect(typedValue(field, text)).toBe(text);
    expect(typedValue(at('run.iterations'), '1.000')).toBe('1.000');
  });

  it('reads a comma as a decimal comma on a German page, but not in whole numbers', () => {
    speakIn(() => ({}));
    expect(typedValue(at('optimiser.learningRate'), '1,125')).toBe(1.125);
    for (const text of ['1,000', '1.000']) expect(typedValue(at('run.iterations'), text)).toBe(text);
    speakIn(() => null);
  });

  it('reads every default as it is shown', () => {
    for (const field of numbers) expect(typedValue(field, String(field.fallback)), field.path).toBe(field.fallback);
  });
});

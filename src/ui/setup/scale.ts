// Converts between the value of a number field and the position of its slider. Sliders run from 0 to 1. On the slider
// of a logarithmic field, each factor of ten has the same length. If the value 0 is allowed, it is at the left end of
// the slider.
import { isEnglish } from '../../base/spoken.ts';
import { typedNumber } from '../../base/typedNumber.ts';
import type { NumberField } from '../../config/describe.ts';

/** The distance between neighbouring slider positions. */
export const sliderStep = 0.005;

const isLog = (field: NumberField) => field.step === 'log' || field.max / Math.max(field.min, 1) >= 1000;
const lowest = (field: NumberField) => (field.min > 0 ? field.min : field.kind === 'whole' ? 1 : field.max * 1e-6);

/**
 * Whether the field has a slider. For example, the field for a seed has no slider, because the range of seeds is too
 * large.
 */
export function hasSlider(field: NumberField): boolean {
  return field.max <= 1e6;
}

/** The position of a value, in [0, 1]. */
export function positionOf(field: NumberField, value: number): number {
  if (!Number.isFinite(value)) return 0;
  const held = Math.min(field.max, Math.max(field.min, value));
  if (!isLog(field)) return (held - field.min) / (field.max - field.min);
  const low = lowest(field);
  if (held < low) return 0;
  const share = Math.log(held / low) / Math.log(field.max / low);
  return field.min > 0 ? share : Math.max(sliderStep, share);
}

/** The value at a position in [0, 1], rounded to a step of the field or to a few digits. */
export function valueAtPosition(field: NumberField, position: number): number {
  if (position >= 1) return field.max;
  if (position <= 0) return field.min;
  if (!isLog(field)) {
    const step = field.step === 'log' ? 1 : field.step;
    const value = field.min + Math.round((position * (field.max - field.min)) / step) * step;
    return within(field, Number(value.toPrecision(12)));
  }
  if (field.min <= 0 && position < sliderStep) return field.min;
  const low = lowest(field);
  const value = low * (field.max / low) ** position;
  return within(field, Number(value.toPrecision(2)));
}

function within(field: NumberField, value: number): number {
  const held = Math.min(field.max, Math.max(field.min, value));
  return field.kind === 'whole' ? Math.round(held) : held;
}

/** The amount by which a key changes the value; null if the field has no steps of equal size. */
const stepOf = (field: NumberField) =>
  typeof field.step === 'number' ? field.step : field.kind === 'whole' && !isLog(field) ? 1 : null;

/**
 * The value after a key press. Arrow keys change the value by one step. Page Up and Page Down change it by a tenth of
 * the range, but at least by two steps. The result is null for all other keys, which the browser handles, and for
 * fields without steps of equal size.
 */
export function keyedValue(field: NumberField, value: number, key: string): number | null {
  const step = stepOf(field);
  if (step === null) return null;
  const page = Math.max(2, Math.round((field.max - field.min) / step / 10));
  const steps: Record<string, number> = {
    ArrowRight: 1,
    ArrowUp: 1,
    ArrowLeft: -1,
    ArrowDown: -1,
    PageUp: isLog(field) ? 10 : page,
    PageDown: isLog(field) ? -10 : -page,
  };
  const by = steps[key];
  return by === undefined ? null : within(field, Number((value + by * step).toPrecision(12)));
}

/**
 * Converts typed text to a number. Text that is not a number is returned unchanged, so that the error message can
 * contain it.
 */
export const typedValue = ({ kind }: Pick<NumberField, 'kind'>, text: string): number | string =>
  typedNumber(text, { isWhole: kind === 'whole', hasCommas: !isEnglish() }) ?? text;

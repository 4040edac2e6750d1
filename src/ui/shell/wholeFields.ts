// Input fields for whole numbers: they accept only digits. A browser parses `1.000` as 1 and drops commas, so
// non-digits are rejected.

/** Rejects non-digits in a field for whole numbers, typed or pasted. */
export function keepDigits(event: InputEvent): void {
  const field = event.target;
  if (!(field instanceof HTMLInputElement) || field.type !== 'number') return;
  const isWhole = Number.isInteger(Number(field.step || '1')) && Number.isInteger(Number(field.min || '0'));
  if (isWhole && /[^\d-]/.test(event.data?.trim() ?? '')) event.preventDefault();
}

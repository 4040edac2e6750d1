// Fields of whole numbers that the browser reads: they take digits alone. A browser reads `1.000` as 1 and drops commas, so what is
// no digit is not let in.

/** Keeps what is no digit out of a field of whole numbers, typed or pasted. */
export function keepDigits(event: InputEvent): void {
  const field = event.target;
  if (!(field instanceof HTMLInputElement) || field.type !== 'number') return;
  const isWhole = Number.isInteger(Number(field.step || '1')) && Number.isInteger(Number(field.min || '0'));
  if (isWhole && /[^\d-]/.test(event.data?.trim() ?? '')) event.preventDefault();
}

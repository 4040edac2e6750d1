// Input fields for whole numbers, which accept only digits. Browsers parse `1.000` as 1 and drop commas, so everything
// except digits is rejected.

/** Rejects typed or pasted characters that are not digits. */
export function keepDigits(event: InputEvent): void {
  const field = event.target;
  if (!(field instanceof HTMLInputElement) || field.type !== 'number') return;
  const isWhole = Number.isInteger(Number(field.step || '1')) && Number.isInteger(Number(field.min || '0'));
  if (isWhole && /[^\d-]/.test(event.data?.trim() ?? '')) event.preventDefault();
}

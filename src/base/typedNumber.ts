// Reads numbers that people type into fields, links and command lines: digits with a decimal point. Ambiguous text is
// refused, so a thousands separator is never taken for a decimal point.

/** `12`, `-3e2` */
const whole = /^[-+]?\d+(?:e\+?\d+)?$/i;
/** `0.2`, `.5`, `3e-4` */
const decimal = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i;
/** Some readers read `1,000` as a thousand, and others as one. */
const ambiguous = /^[-+]?[1-9]\d{0,2},\d{3}$/;

/**
 * The value of a number in decimal notation; null for any other text, such as `0x10` or `1,000`, and for `1.0` if the
 * number must be an integer.
 */
export function readNumber(text: string, { isWhole = false } = {}): number | null {
  const written = text.trim().replace('−', '-');
  const value = Number(written);
  return (isWhole ? whole : decimal).test(written) && Number.isFinite(value) ? value : null;
}

/**
 * The value of a number as visitors type it; null if the text is not a number or is ambiguous. The decimal separator
 * may also be a comma. If the visitor's language uses the comma, any comma is accepted; otherwise only a comma that
 * cannot separate thousands, as in `0,2`.
 */
export function typedNumber(text: string, { isWhole = false, hasCommas = false } = {}): number | null {
  const written = text.trim().replace('−', '-');
  if (isWhole || (ambiguous.test(written) && !hasCommas)) return readNumber(written, { isWhole });
  return readNumber(/\..*,|,.*[.,]/.test(written) ? written : written.replace(',', '.'));
}

// Reads JSON that other programs wrote. Python's json writes non-finite numbers as NaN, Infinity and -Infinity, which
// are not valid JSON. Here, such numbers are read as null, because pandas and Hugging Face's `datasets` write missing
// values in this way.

// A quoted string is matched as a whole, so that its contents remain unchanged. The loop of the regular expression over
// the characters of a string is unrolled, so that long strings do not overflow the stack.
const textOrNoNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\bInfinity\b|\bNaN\b/gs;

/**
 * The value of a JSON text, which may contain such numbers. Throws SyntaxError if the text is invalid for another
 * reason; the message contains the position in the original text.
 */
export function readLooseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    if (!/NaN|Infinity/.test(text)) throw cause;
    try {
      return JSON.parse(text.replace(textOrNoNumber, (found) => (found.startsWith('"') ? found : 'null'))) as unknown;
    } catch {
      throw cause;
    }
  }
}

// JSON as other programs write it. Python's json writes non-finite numbers as NaN, Infinity and -Infinity, which JSON
// does not know: they are read as null, since pandas and Hugging Face's `datasets` write missing values so.

// A quoted text is matched whole, so that its contents stay; the loop is unrolled, as long texts must not fill the
// stack.
const textOrNoNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\bInfinity\b|\bNaN\b/gs;

/** The value of a text. Throws SyntaxError, worded for the original text, if it is no JSON apart from such numbers. */
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

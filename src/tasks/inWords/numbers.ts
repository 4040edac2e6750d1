// Reads numbers and operations in messages in plain English. The functions accept any text. They are lenient, because a
// language model may add words to a number.

const operatorWords: readonly (readonly [RegExp, string])[] = [
  [/(?<=\d\s*)(?:×|x|times|multiplied by)(?=\s*\d)/gi, '*'],
  [/(?<=\d\s*)(?:÷|divided by)(?=\s*\d)/gi, '/'],
  [/(?<=\d\s*)(?:plus|and)(?=\s*\d)/gi, '+'],
  [/(?<=\d\s*)(?:−|–|minus)(?=\s*\d)/gi, '-'],
  [/\badd (\d+) (?:to|and|with) (\d+)/gi, '$2+$1'],
  [/\b(?:subtract|take) (\d+) (?:from|away from) (\d+)/gi, '$2-$1'],
  [/\bmultiply (\d+) (?:by|and|with) (\d+)/gi, '$1*$2'],
  [/\bdivide (\d+) by (\d+)/gi, '$1/$2'],
];

/** The text with all operations between digits in signs and without spaces: `Multiply 7 by 3.` becomes `7*3.`. */
function inSigns(text: string): string {
  const signed = operatorWords.reduce((read, [words, sign]) => read.replaceAll(words, sign), text);
  return signed.replaceAll(/(?<=\d)\s*([-+*/=])\s*(?=-?\d)/g, '$1');
}

/** The first operation on two numbers in a text, such as `7*3`; null if there is none. A result after it is left out. */
export const operationIn = (text: string): string | null => /-?\d+[-+*/]-?\d+/.exec(inSigns(text))?.[0] ?? null;

/** The last whole number in a text, as its digits; null if there is none. */
export const lastNumberIn = (text: string): string | null => {
  const found = text
    .replaceAll(/(?<=\d),(?=\d{3}\b)/g, '')
    .match(/(?<!\d)-?\d+/g)
    ?.at(-1);
  return found === undefined ? null : found.replace(/^(-?)0+(?=\d)/, '$1');
};

/** All calculations with their results in a text, such as `7*3=21`, in order. */
export const calculationsIn = (text: string): string[] => inSigns(text).match(/-?\d+[-+*/]-?\d+=-?\d+/g) ?? [];

/** A calculation with spaces around its signs: `7*3=21` becomes `7 * 3 = 21`. */
export const spaced = (text: string): string => text.replaceAll(/(?<=\d)([-+*/=])(?=-?\d)/g, ' $1 ');

// Typesets code: adds the usual spaces to programs, and shows examples as function calls.

/** A piece of text that is one token of the vocabulary. */
const piece = /<[a-z]+>|\.map\(\(x,i\)=>|\.(?:filter|map)\(x=>|\.\w+\(?\)?|[!=]==|[<>]=|&&|\|\||f\(xs\)|[A-Za-z]+|\S/g;

/**
 * Adds spaces to a program: `xs.map(x=>x>4?x+3:x)` becomes `xs.map(x => x > 4 ? x + 3 : x)`. Text that is not a program
 * stays unchanged.
 */
export const typesetCode = (text: string): string =>
  /^[[\]\w.,()=<>!?:+*/%-]*$/.test(text)
    ? text
        .replace(/=>|[!=]==|[<>]=?|[?:+*/%]/g, ' $& ')
        .replace(/(?<=[\w)\]])-/g, ' - ')
        .replace(/,(?=\S)/g, ', ')
        .replace(/(?<=\])=(?=\[)/g, ' = ')
    : text;

/** The tokens of a text. */
export const codeTokens = (text: string): string[] => text.match(piece) ?? [];

/** Examples as function calls: `[4,2,7]=[7];[1,6,8]=[8]` becomes a list whose first entry is `f([4, 2, 7]) = [7]`. */
export const callsIn = (examples: string): string[] =>
  examples.split(';').flatMap((example) => {
    const [, given, value] = /^(\[.*\])=(\[.*\])$/.exec(example) ?? [];
    return given === undefined || value === undefined ? [] : `f(${typesetCode(given)}) = ${typesetCode(value)}`;
  });

/**
 * Typesets examples and test results: `<failed>[2,3]=[3]<eot>` becomes `failed: f([2, 3]) = [3]`. Any other text stays
 * unchanged.
 */
export function codeNote(text: string): string {
  const [, mark, said = ''] = /^<(passed|failed|error)>(.*?)(?:<eot>)?$/.exec(text) ?? [];
  const calls = (mark === undefined ? text : said)
    .split(';')
    .map((call) => callsIn(call)[0] ?? call)
    .join('; ');
  return mark === undefined ? calls : [mark, calls].filter(Boolean).join(': ');
}

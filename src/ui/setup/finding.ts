// Finds settings by words, in the language of the page and in English.
import { describeFields, type Field } from '../../config/describe.ts';
import { said } from '../../state/visitor/language.svelte.ts';

const namesOf = ({ label, path, group = '' }: Field) => [label, said(label), path, group, said(group)];
const textsOf = (field: Field) => [
  ...namesOf(field),
  ...[field.help, said(field.help)],
  ...Object.values(field.kind === 'choice' ? (field.labels ?? {}) : {}).flatMap((label) => [label, said(label)]),
];

/**
 * The settings that contain all words of a text: first those with the words in their name, of which the important ones
 * come first, then the others.
 */
export function foundFields(text: string): Field[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const containing = (texts: (field: Field) => string[]) =>
    describeFields().filter((field) => {
      const whole = texts(field).join('\n').toLowerCase();
      return words.every((word) => whole.includes(word));
    });
  const named = containing(namesOf);
  const basic = named.filter(({ isBasic }) => isBasic);
  return [...new Set([...basic, ...named, ...containing(textsOf)])];
}

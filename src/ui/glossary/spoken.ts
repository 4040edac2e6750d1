// The glossary in the language of the page. The English word remains the key of a term, because formulas refer to it. A
// search for the English word works in every language, because most papers use this word.
import { localeTag, said } from '../../state/visitor/language.svelte.ts';
import { terms, type Term } from './terms.ts';

/** A term in the language of the page, with its English word. */
interface SpokenTerm extends Term {
  name: string;
}

const spoken = ({ word, meaning, source }: Term): SpokenTerm => ({
  name: word,
  word: said(word),
  meaning: said(meaning),
  source,
});

/** The term of an English word. */
export function termOf(name: string | undefined): SpokenTerm | undefined {
  const term = terms.find(({ word }) => word === name);
  return term && spoken(term);
}

/** Terms whose word or meaning contains `query`, in alphabetical order; all terms if it is empty. */
export function findTerms(query: string): SpokenTerm[] {
  const wanted = query.trim().toLowerCase();
  return terms
    .map(spoken)
    .filter(({ name, word, meaning }) => `${name} ${word} ${meaning}`.toLowerCase().includes(wanted))
    .sort((a, b) => a.word.localeCompare(b.word, localeTag()));
}

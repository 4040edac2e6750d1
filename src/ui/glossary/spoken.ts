// The glossary in the language of the page. In every language, formulas refer to a term by its English word. In every
// language, a search also finds terms by their English words, because most papers use English words.
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

/** The term with this English word; undefined if there is none. */
export function termOf(name: string | undefined): SpokenTerm | undefined {
  const term = terms.find(({ word }) => word === name);
  return term && spoken(term);
}

/** Terms whose word or meaning contains `query`, in alphabetical order; all terms if `query` is empty. */
export function findTerms(query: string): SpokenTerm[] {
  const wanted = query.trim().toLowerCase();
  return terms
    .map(spoken)
    .filter(({ name, word, meaning }) => `${name} ${word} ${meaning}`.toLowerCase().includes(wanted))
    .sort((a, b) => a.word.localeCompare(b.word, localeTag()));
}

// Scores of some answers in the published evaluation of HotpotQA, which equals that of SQuAD except for `yes` and `no`.
// The program below computed these scores once, in Python 3.11, after the texts were converted to the Unicode normal
// form NFC. A test compares our scores with these.
//
//   def normalize(s):
//       s = ''.join(ch for ch in s.lower() if ch not in set(string.punctuation))
//       return ' '.join(re.sub(r'\b(a|an|the)\b', ' ', s).split())
//   def f1(p, g):
//       p, g = normalize(p), normalize(g)
//       if p != g and (p in ['yes', 'no', 'noanswer'] or g in ['yes', 'no', 'noanswer']): return 0
//       p, g = p.split(), g.split()
//       n = sum((collections.Counter(p) & collections.Counter(g)).values())
//       return 0 if n == 0 else 2 * n / (len(p) + len(g))
//   print(normalize(unicodedata.normalize('NFC', text)))

/** Answers with their normalised forms. */
export const publishedWords: readonly [answer: string, words: string][] = [
  ['The  Beatles, a band!', 'beatles band'],
  ['España', 'españa'],
  ['Españ', 'españ'],
  ['1990–1994', '1990–1994'],
  ['19901994', '19901994'],
  ['€5', '€5'],
  ['$5', '5'],
  ['Été d’an Théo', 'été d’ théo'],
  ['Résumé', 'résumé'],
  ['Straße', 'straße'],
  ['STRASSE', 'strasse'],
  ['The A', ''],
  ['−5', '−5'],
  ['-5', '5'],
  ['3.5', '35'],
  ['C++', 'c'],
  ['an_a the-end', 'ana theend'],
  ['a.b', 'ab'],
  ['U.S.A.', 'usa'],
  ['the theatre', 'theatre'],
  ['Ä the Ö', 'ä ö'],
  ['ÁTHE thé', 'áthe thé'],
  ['the中 a中', 'the中 a中'],
  ['中 a 文', '中 文'],
  ['İstanbul', 'i\u0307stanbul'],
  ['ΟΔΟΣ', 'οδος'],
  ['½ a mile', '½ mile'],
  ['a² the²', 'a² the²'],
  ['the\u00a0end', 'end'],
  ['“a” the ‘an’', '“ ” ‘ ’'],
  ['A\u2003B', 'b'],
  ['naïve a', 'naïve'],
  ["don't", 'dont'],
  ['don’t', 'don’t'],
  ['100 %', '100'],
  ['№ 5', '№ 5'],
  ['the_end', 'theend'],
  ['_a_', ''],
  ['Москва a', 'москва'],
  ['e\u0300 a', 'è'],
  ['ꙮ an', 'ꙮ'],
  ['a1 1a the2', 'a1 1a the2'],
  ['٣ the ٣', '٣ ٣'],
  ['#a @the', ''],
  ['café the', 'café'],
  ['…the…', '… …'],
  ['a', ''],
  ['', ''],
];

/** The given answer, the right answer, and the F1 score of their words. */
export const publishedShares: readonly [said: string, right: string, share: number][] = [
  ['the Beatles', 'Beatles', 1.0],
  ['Paul McCartney', 'Paul Simon', 0.5],
  ['no no', 'no', 0],
  ['yes', 'yes', 1.0],
  ['Yes, it is', 'yes', 0],
  ['no', 'no way', 0],
  ['noanswer', 'noanswer here', 0],
  ['Rome', 'Paris', 0],
  ['lake 1 of the north', 'Lake 1', 0.6666666666666666],
  ['España', 'Españ', 0],
  ['1990–1994', '1990 – 1994', 0],
  ['new new york', 'new york york', 0.6666666666666666],
];

// What the page must know of the vocabularies without reading a tokenizer.

/** Ids from here on stand for two signs of a text, an operator and the digit after it; those below for one. */
export const firstJoinedId = 32;

// The encoding of blanks and bytes in a tokenizer.json of SentencePiece, as in Llama 2: a blank is added before a text,
// and unknown characters are represented by their bytes.

const blank = '▁';

export const sentencePieceParts = {
  normalizer: {
    type: 'Sequence',
    normalizers: [
      { type: 'Prepend', prepend: blank },
      { type: 'Replace', pattern: { String: ' ' }, content: blank },
    ],
  },
  decoder: {
    type: 'Sequence',
    decoders: [
      { type: 'Replace', pattern: { String: blank }, content: ' ' },
      { type: 'ByteFallback' },
      { type: 'Fuse' },
      { type: 'Strip', content: ' ', start: 1, stop: 0 },
    ],
  },
};

/** The tokens for single bytes, from `<0x00>` to `<0xFF>`. */
export const byteTokens = Array.from(
  { length: 256 },
  (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`,
);

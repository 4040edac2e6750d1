// How a tokenizer.json of SentencePiece, as in Llama 2, writes blanks and bytes: a blank is put before a text, and
// bytes represent unknown characters.

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

/** `<0x00>` to `<0xFF>`. */
export const byteTokens = Array.from(
  { length: 256 },
  (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`,
);

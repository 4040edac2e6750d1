// Converts between the texts of a module and those of the vocabulary. If a module has `about.words`, its texts are
// words separated by blanks, and in the vocabulary each word includes the blank before it. If the module has its own
// tokenizers, its texts are those of the vocabulary.
import { ConfigError, SandboxError } from '../../base/errors.ts';
import { shortened } from '../../base/quote.ts';
import { spoken } from '../../base/spoken.ts';
import { tokenizerJsonOf } from '../../text/lexicon.ts';
import type { Utterance, World } from '../world.ts';
import { roomOf, wordsOf } from './about.ts';
import type { WorldModule } from './worldModule.ts';

/** The place of a text, and the maximum length that applies to it at a level. */
export interface TextPlace {
  where: string;
  level: number;
  room?: 'prompt' | 'turn';
}

export interface Spelling {
  tokenizers: World['tokenizers'];
  /** Several texts as one. */
  joined: (texts: readonly string[]) => string;
  /**
   * A text of the module in the form of the vocabulary. Throws SandboxError if this is not possible, or if the text is
   * too long.
   */
  written: (text: string, place: TextPlace) => string;
  /** A message in the form in which the module reads it. */
  heard: (message: Utterance) => Utterance;
  /** The same message, with the world's answer to it and the verifier's score. */
  heardWhole: (message: Utterance) => Utterance;
}

/** The part of a message that a module may read, as plain data. A `Turn` has more fields. */
export const heardPart = ({ role, agent, text, isFinish, isTruncated, belief, reaction }: Utterance): Utterance => ({
  ...{ role, text, isFinish },
  ...(agent !== undefined && { agent: Number(agent) }),
  ...(isTruncated !== undefined && { isTruncated }),
  ...(belief !== undefined && { belief }),
  ...(reaction && { reaction }),
});

const verbatim = (tokenizers: World['tokenizers']): Spelling => ({
  tokenizers,
  joined: (texts) => texts.join(''),
  written: (text) => text,
  heard: heardPart,
  heardWhole: heardPart,
});

const plain = ({ role, agent, text, isFinish, isTruncated = false }: Utterance): Utterance => ({
  ...{ role, agent: agent ?? 0, text: text.trim(), isFinish, isTruncated },
});

/** Throws ConfigError if the module has no vocabulary. */
export function spellingOf({ about, tokenizers }: WorldModule): Spelling {
  if (tokenizers) return verbatim(tokenizers);
  const { name } = about;
  const declared = wordsOf(about);
  if (declared.length === 0)
    throw new ConfigError(spoken`${name}: about.words: declare the words of the world, or export tokenizers.`);
  const known = new Set(declared);
  return {
    tokenizers: {
      words: tokenizerJsonOf(
        declared.map((word) => ` ${word}`),
        ' [^ <]+|.',
      ),
    },
    joined: (texts) => texts.join(' '),
    written: (text, { where, level, room }) => {
      const words = text.split(/\s+/).filter((word) => word !== '');
      const most = room && roomOf(about, level)?.[room];
      if (most !== undefined && words.length > most)
        throw new SandboxError(
          spoken`${name}: ${where} has ${words.length} words, but about.room.${room ?? ''} is ${most}; raise that limit, or shorten this text: “${shortened(text)}”.`,
        );
      const unknown = words.find((word) => !known.has(word));
      if (unknown !== undefined)
        throw new SandboxError(
          spoken`${name}: ${where} uses “${unknown}”, which is not in about.words; declare it there.`,
        );
      return words.map((word) => ` ${word}`).join('');
    },
    heard: plain,
    heardWhole: (message) => ({ ...heardPart(message), ...plain(message) }),
  };
}

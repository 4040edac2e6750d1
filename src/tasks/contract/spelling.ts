// Converts texts between the form that a module uses and the form that the tokenizer needs. If a module has
// `about.words`, its texts consist of words separated by spaces; for the tokenizer, there must also be a space before
// the first word. If a module has its own tokenizers, its texts stay unchanged.
import { ConfigError, SandboxError } from '../../base/errors.ts';
import { shortened } from '../../base/quote.ts';
import { spoken } from '../../base/spoken.ts';
import { tokenizerJsonOf } from '../../text/lexicon.ts';
import type { Utterance, World } from '../world.ts';
import { roomOf, wordsOf } from './about.ts';
import type { WorldModule } from './worldModule.ts';

/** The source of a text, for error messages, and the maximum length of the text. */
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
   * Converts a text of the module to the form for the tokenizer. Throws SandboxError if the text contains a word that
   * is not in the world's vocabulary, or if the text is too long.
   */
  written: (text: string, place: TextPlace) => string;
  /** Converts a message to the form that the module uses. */
  heard: (message: Utterance) => Utterance;
  /** Like `heard`, but the result also contains the world's answer and the verifier's score. */
  heardWhole: (message: Utterance) => Utterance;
}

/** The fields of a message that a module may use. A `Turn` has further fields, which are left out. */
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

/** Makes these functions for a module. Throws ConfigError if the module has neither `about.words` nor tokenizers. */
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
          spoken`${name}: ${where} uses “${unknown}”, which is not in about.words; declare this word there.`,
        );
      return words.map((word) => ` ${word}`).join('');
    },
    heard: plain,
    heardWhole: (message) => ({ ...heardPart(message), ...plain(message) }),
  };
}

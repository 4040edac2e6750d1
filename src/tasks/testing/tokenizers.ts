// The vocabularies of house-rule arithmetic by name, and the ids in its first vocabulary that tests use. Only tests
// import this file.
import { tokenizerOf } from '../../text/tokenizer.ts';
import { world as houseRule } from '../../extensions/worlds/houseRule/world.ts';

export const vocabularyNames = ['characters', 'joined'] as const;

export const loadTokenizer = (name: (typeof vocabularyNames)[number] = 'characters') =>
  tokenizerOf(houseRule.tokenizers[name] as object);

export const tokenizerJson = houseRule.tokenizers['characters'] as object;

const idOf = (token: string) => loadTokenizer().id(token);

export const specialIds = {
  pad: idOf('<pad>'),
  bos: idOf('<bos>'),
  eot: idOf('<eot>'),
  finish: idOf('<finish>'),
  meta: idOf('<meta>'),
  reason: idOf('<reason>'),
  precedence: idOf('<precedence>'),
  leftToRight: idOf('<leftToRight>'),
  rightToLeft: idOf('<rightToLeft>'),
} as const;

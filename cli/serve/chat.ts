// A chat in the terminal with a model, or with an agent of a stored run: each line of standard input is a message, and
// the answer is printed token by token.
import { createInterface } from 'node:readline';
import { ConfigError } from '../../src/base/errors.ts';
import { chatText, chatTokens, readyTemplates, type ChatTurn } from '../../src/text/chat.ts';
import type { CommandArguments } from '../command.ts';
import { jsonLine, writeError, writeOut } from '../terminal.ts';
import type { Model, ServedModels, GenerationRequest } from './model.ts';
import { openModels } from './openModels.ts';

/** Settings of an answer that are not integers, and their bounds. */
const bounds = { temperature: [0, 2], 'top-p': [0, 1], 'min-p': [0, 1] } as const;
const usual = { temperature: 0.7, tokens: 256 };

export interface ChatReply {
  text: string;
  tokens: number;
  /** Seconds until the first token of the answer. */
  firstS: number;
  perSecond: number;
}

/** Answers messages until the end of the input. */
export async function chat(given: CommandArguments): Promise<number> {
  await readyTemplates();
  const [place = ''] = given.rest;
  const wish = wishOf(given);
  const { models } = await openModels(place, given);
  try {
    const model = modelNamed(models, given.text('agent'));
    const system = given.text('system');
    const messages: ChatTurn[] = system === undefined ? [] : [{ role: 'system', content: system }];
    const [isJson, isTerminal] = [given.has('json'), process.stdin.isTTY];
    if (isTerminal) writeError(`${model.id}: write a message and press Enter; Ctrl-D ends the chat.\n`);
    let turn = 0;
    for await (const content of createInterface({ input: process.stdin })) {
      if (content.trim() === '') continue;
      messages.push({ role: 'user', content });
      if (given.has('prompt')) writeError(`${chatText(model.chat, messages)}\n`);
      const asked = { ...wish, context: chatTokens(model.chat, messages), seed: wish.seed + turn++ };
      const said = await answered(models, model, asked, (text) => {
        if (!isJson) writeOut(text);
      });
      writeOut(isJson ? `${jsonLine(said)}\n` : '\n');
      const { tokens, firstS, perSecond } = said;
      if (isTerminal)
        writeError(
          `${tokens} tokens, first token after ${firstS.toFixed(1)} s, ${perSecond.toFixed(1)} tokens per second\n`,
        );
      messages.push({ role: 'assistant', content: said.text });
    }
  } finally {
    models.dispose();
  }
  return 0;
}

/** Generates one answer and passes each new part of it to `tell`. */
export async function answered(
  models: ServedModels,
  model: Model,
  wish: GenerationRequest,
  tell: (text: string) => void,
): Promise<ChatReply> {
  const began = performance.now();
  let firstMs = 0;
  let told = '';
  const hear = (text: string) => {
    if (text === told) return;
    firstMs ||= performance.now() - began;
    tell(text.slice(told.length));
    told = text;
  };
  const left = new AbortController().signal;
  const [said] = await models.speak(model, wish, { left, hear: ([telling]) => hear(telling?.text ?? '') });
  const tokens = said?.told.length ?? 0;
  const seconds = (performance.now() - began) / 1000;
  const firstS = firstMs / 1000;
  return { text: told, tokens, firstS, perSecond: tokens > 1 ? (tokens - 1) / (seconds - firstS) : 0 };
}

/** The generation settings that apply to all answers. Throws ConfigError. */
function wishOf(given: CommandArguments): Omit<GenerationRequest, 'context'> {
  const real = (name: keyof typeof bounds): number | undefined => {
    const text = given.text(name);
    if (text === undefined) return undefined;
    const [least, most] = bounds[name];
    const number = text.trim() === '' ? Number.NaN : Number(text);
    if (number >= least && number <= most) return number;
    throw new ConfigError(`--${name}: expected a number from ${least} to ${most}, got ${JSON.stringify(text)}.`);
  };
  const [topK, topP, minP] = [given.whole('top-k', 1), real('top-p'), real('min-p')];
  return {
    tokens: given.whole('tokens', 1) ?? usual.tokens,
    temperature: real('temperature') ?? usual.temperature,
    limits: {
      ...(topK !== undefined && { topK }),
      ...(topP !== undefined && { topP }),
      ...(minP !== undefined && { minP }),
    },
    ...{ seed: given.whole('seed') ?? 1, count: 1, stops: [] },
  };
}

/** The role in the name of a model, without the run or the base. */
const shortName = (id: string) => id.split(/[/:]/).at(-1);

/** The model of the requested agent. Throws ConfigError if the run has no such agent. */
function modelNamed({ list }: ServedModels, agent: string | undefined): Model {
  const found = agent === undefined ? list[0] : list.find(({ id }) => id === agent || shortName(id) === agent);
  if (found) return found;
  const names = list.map(({ id }) => shortName(id));
  throw new ConfigError(`--agent: expected ${names.join(' or ')}, got ${JSON.stringify(agent)}.`);
}

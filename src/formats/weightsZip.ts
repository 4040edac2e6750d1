// Exports one agent as a zip, whose contents are a folder for Hugging Face's transformers. The zip also contains the
// weights as one file for llama.cpp, and graphs for ONNX runtimes that read the folder's weights. The value head is
// left out, because a LlamaForCausalLM has no value head. The same weights always give the same bytes. If an agent has
// an adapter for each turn, the zip contains one such folder for each turn, with the adapter merged in. If the world
// was written by the visitor, its module is included unchanged as `world.js`. The name of such a world is derived from
// its text, so `world.js` can be recognised as the world of the run file.
import { strToU8, zipSync, type Zippable } from 'fflate';
import { FormatError } from '../base/errors.ts';
import { spoken } from '../base/spoken.ts';
import {
  defaultProtocol,
  isOneForAll,
  isTeam,
  kinFacts,
  soloProtocol,
  chosenProtocol,
} from '../config/protocols/registry.ts';
import type { Config } from '../config/schema.ts';
import type { WorldForm } from '../config/worlds/form.ts';
import { isOwn } from '../config/worlds/own.ts';
import type { ModelShape } from '../config/sizes.ts';
import type { NamedArray } from '../records/stored/checkpoint.ts';
import type { OwnNames } from '../records/stored/foreignModel.ts';
import type { ChatMessage } from '../records/stored/modelCard.ts';
import type { Role } from '../records/ids.ts';
import { parameterNames, type ProjectionAdapter } from '../records/parameters.ts';
import { chatTemplate, endOfTurn, finish, promptText, roleHeaders } from '../text/chatTemplate.ts';
import { inOwnNames } from '../text/foreignVocabulary.ts';
import { ggufFile } from './gguf/write.ts';
import { withFileGains } from './gains.ts';
import {
  generationConfig,
  modelConfig,
  readTokenizerNotes,
  tokenizerConfig,
  type TokenizerNotes,
} from './huggingFace.ts';
import { hasGraph, onnxFiles } from './onnx/decoder.ts';
import { opset } from './onnx/graph.ts';
import { peftArrays, peftFiles } from './peft.ts';
import { mtime } from './zipPieces.ts';
import { writeSafetensors } from './safetensors.ts';

/** One of the two moments of the optimiser: `pairs` for the adapters, and `arrays` for all other trained weights. */
export interface Moments {
  pairs: readonly ProjectionAdapter[];
  arrays: readonly NamedArray[];
}

export interface WeightsExport {
  shape: ModelShape;
  /** All parameters of `parameterNames(shape)`, in any order. */
  weights: readonly NamedArray[];
  role: Role;
  /** The roles of the agents whose messages this agent receives (`heardRoles`). */
  heard: readonly Role[];
  /** The names of the hidden texts of a problem that this agent sees. */
  sees: readonly string[];
  world: WorldForm;
  /** The text of the world's module, if the visitor wrote the world. */
  module?: string;
  config: Config;
  /**
   * The text of the tokenizer.json that was used in training and, if the model was imported, the tokens that the model
   * uses in place of our special tokens.
   */
  tokenizerJson: string;
  names?: OwnNames;
  /** The model's chat template, and an example of a chat. Present if the agents talk in chats. */
  chat?: { template: string; messages: readonly ChatMessage[] };
  runName: string;
  /**
   * The adapters, their α, and the frozen weights, if `weights` are frozen weights with merged adapters; absent
   * otherwise.
   */
  adapter?: { pairs: readonly ProjectionAdapter[]; alpha: number; base: readonly NamedArray[] };
  /** The agent's optimiser state, if it is exported too, and the number of updates. */
  optimiser?: { first: Moments; second: Moments; updates: number };
  /**
   * The turn, from 1, for which these weights are used, and the number of turns; absent if these weights are used for
   * all turns.
   */
  turn?: { number: number; of: number };
}

/**
 * A zip with the weights, the tokenizer and the configuration of one agent. Throws FormatError if a parameter does not
 * fit.
 */
export const weightsZip = (source: WeightsExport): Uint8Array => zipSync(modelFolder(source), { level: 6, mtime });

/**
 * A zip for an agent that uses different weights in each turn. The zip contains one folder for each turn. Throws the
 * same errors as `weightsZip`.
 */
export function turnsZip(
  source: Omit<WeightsExport, 'weights' | 'turn' | 'adapter' | 'optimiser'>,
  turns: readonly Pick<WeightsExport, 'weights' | 'adapter' | 'optimiser'>[],
): Uint8Array {
  const files = turns.flatMap((own, i) => {
    const folder = modelFolder({ ...source, ...own, turn: { number: i + 1, of: turns.length } });
    return Object.entries(folder).map(([name, file]) => [`${source.role}-turn-${i + 1}/${name}`, file] as const);
  });
  return zipSync(Object.fromEntries(files), { level: 6, mtime });
}

function modelFolder(source: WeightsExport): Zippable {
  const { shape, role, config, tokenizerJson, names, turn, module } = source;
  const tokens = readTokenizerNotes(tokenizerJson, names);
  const metadata = { format: 'pt', producer: 'cothink', run: source.runName, role };
  const weights = ordered(source.weights, shape);
  const safetensors = writeSafetensors(withFileGains(weights, shape), {
    ...metadata,
    ...(turn && { turn: String(turn.number) }),
  });
  const template = source.chat?.template ?? called(source, chatTemplate(role, source.heard));
  const name = `${source.runName}: ${role}`;
  return {
    'README.md': strToU8(modelReadme(source)),
    'config.json': json(modelConfig(shape, tokens)),
    'generation_config.json': json(generationConfig(config.agents.temperature, tokens)),
    'model.safetensors': [safetensors, { level: 0 }],
    ...(hasGraph(shape) && onnxFiles(shape, safetensors)),
    // For an imported tokenizer, the GGUF file is left out, because only llama.cpp's own converter can describe how
    // such a tokenizer splits a text.
    ...(!names && {
      'model.gguf': [ggufFile({ shape, weights, tokenizerJson, name, chatTemplate: template }), { level: 0 }] as const,
    }),
    'tokenizer.json': strToU8(tokenizerJson),
    'tokenizer_config.json': json(tokenizerConfig(shape, tokens, template)),
    ...(module !== undefined && { 'world.js': strToU8(module) }),
    ...(source.optimiser && { 'optimizer.safetensors': [optimiserFile(source.optimiser, config), { level: 0 }] }),
    ...(source.adapter && adapterFolders(source.adapter, shape, tokens)),
  };
}

/** A text in which the model's special tokens replace ours. */
const called = ({ names }: WeightsExport, text: string) => (names ? inOwnNames(text, names) : text);

/** A file with the moments of the optimiser, with PyTorch's names. */
function optimiserFile({ first, second, updates }: NonNullable<WeightsExport['optimiser']>, config: Config) {
  const named = ({ pairs, arrays }: Moments, ending: string) =>
    [...peftArrays(pairs), ...arrays].map((array) => ({ ...array, name: `${array.name}.${ending}` }));
  const { method } = config.optimiser;
  return writeSafetensors([...named(first, 'exp_avg'), ...named(second, 'exp_avg_sq')], {
    ...{ format: 'pt', producer: 'cothink', optimizer: method, step: String(updates) },
  });
}

/** The adapters in one folder, in PEFT's format, and the frozen base model in another. */
function adapterFolders(
  { pairs, alpha, base }: NonNullable<WeightsExport['adapter']>,
  shape: ModelShape,
  tokens: TokenizerNotes,
): Zippable {
  const { config, weights } = peftFiles({ pairs, alpha, base: '../base' });
  return {
    'adapter/adapter_config.json': json(config),
    'adapter/adapter_model.safetensors': [weights, { level: 0 }],
    'base/config.json': json(modelConfig(shape, tokens)),
    'base/model.safetensors': [
      writeSafetensors(withFileGains(ordered(base, shape), shape), { format: 'pt', producer: 'cothink' }),
      { level: 0 },
    ],
  };
}

/** A JSON file of an archive. */
export const json = (value: object) => strToU8(`${JSON.stringify(value, null, 2)}\n`);

/** The weights in the order of the state dict. Throws FormatError if a weight is missing or has the wrong shape. */
export function ordered<T extends { name: string; shape: readonly number[] }>(
  weights: readonly T[],
  shape: ModelShape,
): T[] {
  const byName = new Map(weights.map((array) => [array.name, array]));
  const wanted = parameterNames(shape).map((parameter) => {
    const array = byName.get(parameter.name);
    if (array?.shape.join() !== parameter.shape.join()) {
      const came = array ? `[${array.shape.join(', ')}]` : spoken`nothing`;
      throw new FormatError(spoken`${parameter.name}: expected [${parameter.shape.join(', ')}], got ${came}.`);
    }
    byName.delete(parameter.name);
    return array;
  });
  const [left] = byName.keys();
  if (left !== undefined)
    throw new FormatError(
      spoken`${left}: this parameter does not exist in a network of this shape; remove the parameter.`,
    );
  return wanted;
}

const duties: Record<Exclude<Role, 'reasoning'>, string> = {
  metaThinking: 'the meta-thinking agent: it says what to do next',
  pioneer: 'the pioneer: it answers first',
  observer: 'the observer: it reads the pioneer’s answer and answers too',
  debater: 'a debater: it answers, reads the others’ answers and answers again',
  summariser: 'the leader: it reads the answers of all members and gives the team’s',
};

/** An example of a context that an agent sees before it speaks. */
function exampleView({ role, heard, sees, config, world }: WeightsExport): string {
  const { shown, hidden, plan, answer } = world.example ?? { shown: '', hidden: {}, plan: '', answer: '' };
  const asked = promptText(sees.map((name) => hidden[name] ?? '').join(''), shown);
  if (role === 'observer' || role === 'summariser')
    return `${asked}${roleHeaders[heard[0] ?? role]}${answer}${endOfTurn}`;
  const isTold = kinFacts(config.agents).isTold && role === 'reasoning';
  return isTold ? `${asked}${roleHeaders.metaThinking}${plan}${endOfTurn}` : asked;
}

/** Describes which hidden texts of a problem an agent sees. */
function sightOf({ sees, world: { hidden } }: WeightsExport): string {
  const labels = (isSeen: boolean) =>
    hidden
      .filter(({ name }) => sees.includes(name) === isSeen)
      .map(({ label }) => label)
      .join(' and ');
  const [seen, unseen] = [labels(true), labels(false)];
  const words = [seen && `sees ${seen}`, unseen && `does not see ${unseen}`].filter(Boolean);
  return words.length > 0 ? ` It ${words.join(' and ')}.` : '';
}

function dutyOf({ role, config }: WeightsExport): string {
  const duty = kinFacts(config.agents).duties?.[role];
  if (duty) return duty;
  if (role !== 'reasoning') return duties[role];
  return !isTeam(chosenProtocol(config.agents))
    ? 'the only agent'
    : 'one of several agents that answer without hearing each other';
}

/** A sentence about where the world of these weights can be found, if the world was written by a visitor. */
function worldNote({ world, module }: WeightsExport): string {
  if (module !== undefined)
    return ' It is the module `world.js`: on the page, “Write your own…” under “World” opens it.';
  return isOwn(world.name) ? ' It is made of a file that is not in this archive: “Import a file…” reads it again.' : '';
}

function turnNote({ number, of }: NonNullable<WeightsExport['turn']>): string {
  const others = of > 1 ? ' The folders beside this one hold its other turns.' : '';
  return `Its agent has an adapter for each turn of a dialogue; this model is the frozen network with the adapter of turn ${number}
merged in. It has learned to say what the agent says in its turn ${number} and nothing else.${others}\n`;
}

const optimiserNote = `- \`optimizer.safetensors\` holds what the optimiser keeps of each array that learns, the value head too: its moments as
  \`NAME.exp_avg\` and \`NAME.exp_avg_sq\`, PyTorch's names, and in the metadata the \`step\`s taken. Arrays that Muon moves have the
  first alone; their second is zero.
`;

const graphNote = `- \`model.onnx\` and \`model_with_past.onnx\` are its graph for ONNX runtimes (opset ${opset}), without and with a cache of keys
  and values, of which there may be none at first. Inputs and outputs are named as Optimum names them. Keep both beside
  \`model.safetensors\`, which holds their weights.
`;

function hearing(heard: readonly Role[]): string {
  if (heard.length === 0) return '; it hears nobody';
  const headers = heard.map((role) => roleHeaders[role]).join(' or ');
  const names = heard.length > 1 ? `, with ${heard.map((role) => `\`${role}\``).join(' or ')} as \`name\`` : '';
  return ` and what it hears, under ${headers}, as \`user\`${names}`;
}

/** Lines of Python code that show how to use the model with a chat. */
export const readingChat = ({ messages }: NonNullable<WeightsExport['chat']>) => `messages = ${JSON.stringify(messages)}
text = tokenizer.apply_chat_template(messages, add_generation_prompt=True, tokenize=False)
context = tokenizer(text, add_special_tokens=False, return_tensors="pt").input_ids`;

function modelReadme(source: WeightsExport): string {
  const { role, heard, config, world, runName, shape, turn } = source;
  const { protocol } = config.agents;
  const own = (text: string) => called(source, text);
  const shared = isOneForAll(config.agents) && protocol !== soloProtocol;
  const view = own(exampleView(source));
  const header = roleHeaders[role];
  const sharers = protocol === defaultProtocol ? 'both roles' : 'all agents';
  const framing = `- \`${header}\` opens a turn of this role; \`${own(endOfTurn)}\` ends a turn, \`${own(finish)}\` ends the dialogue.
- Hidden texts come ${source.names?.bos === null ? 'first' : `right after \`${own('<bos>')}\``}, for those who may see it.
- \`chat_template\` in tokenizer_config.json builds the same contexts from messages: what is hidden as \`system\`, the
  question as the first \`user\`, then own turns as \`assistant\`${hearing(heard)}.
  A message that is followed by words on how good it is ends with its own \`${own(endOfTurn)}\` and these words.`;
  const ordinal = turn ? `, turn ${turn.number} of ${turn.of}` : '';
  return `# ${runName}: ${role}${ordinal}

${source.names ? 'An external Llama, trained further' : 'A small Llama trained in the browser'} by Cothink. It is ${dutyOf(source)}.${sightOf(source)}
Its world is ${world.label}${world.sentence && `: ${world.sentence}`}${worldNote(source)}
${shared ? `The run shares one network between ${sharers}; ${source.chat ? 'what it is asked' : 'the header token'} tells it which one it speaks.\n` : ''}${turn ? turnNote(turn) : ''}
## Load it

Unpack this archive and name ${turn ? 'this' : 'its'} folder:

\`\`\`python
from transformers import AutoModelForCausalLM, AutoTokenizer

folder = "path/to/the/unpacked/archive"
tokenizer = AutoTokenizer.from_pretrained(folder)
model = AutoModelForCausalLM.from_pretrained(folder)
${source.chat ? readingChat(source.chat) : `context = tokenizer("${view}${header}", add_special_tokens=False, return_tensors="pt").input_ids`}
print(tokenizer.decode(model.generate(context, max_new_tokens=16)[0]))
\`\`\`

${source.chat ? `- It read chats as this one in training, each turn on its own; \`${own(endOfTurn)}\` ends what it says.` : framing}
- Context: ${shape.maxPositions} tokens. Sampling in training: temperature ${config.agents.temperature}, whole distribution.
${source.names ? '' : '- \`model.gguf\` is the same model for llama.cpp and what is built on it.\n'}${hasGraph(shape) ? graphNote : ''}${source.optimiser ? optimiserNote : ''}${source.adapter ? '- `adapter` holds the adapters alone, as PEFT reads them, and `base` the frozen model that they stand on.\n' : ''}- A value head, where the learner had one, is not included.
`;
}

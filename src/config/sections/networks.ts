// The parts of networks that agents do not share: low-rank adapters on a shared frozen network, networks of different
// size, and the weights with which the agents start.
import * as v from 'valibot';
import { choice, choiceOr, flag, namedTexts, whole } from '../field.ts';
import { onModel } from '../conditions.ts';
import { adapterOwners, otherSizes } from '../names.ts';
import { otherVocabularies } from '../worlds/registry.ts';

const adapters = { group: 'Networks', matters: [{ 'agents.parameters': ['lora'] }] };

export const adapterFields = {
  adapterPer: choice(adapterOwners, 'role', {
    label: 'Adapters',
    help: 'Which turns share a LoRA adapter. Per role: each agent has one adapter for all turns. Per turn: each agent has one adapter for the first turn of a dialogue, another for the second turn, and so on; the input is the whole context of the agent, and each adapter is trained only on its own turn. One for all: all roles share one adapter, like a shared network.',
    source: 'LoRA 2106.09685',
    ...adapters,
    labels: { role: 'Per role', turn: 'Per turn', run: 'One for all' },
  }),
  loraRank: whole(8, {
    label: 'LoRA rank',
    help: 'The rank of the LoRA adapters: how many directions of each matrix an agent can learn. The maximum is the width of the network.',
    source: 'LoRA 2106.09685',
    ...adapters,
    min: 1,
    max: 64,
  }),
  loraAlpha: whole(16, {
    label: 'LoRA α',
    help: 'With LoRA, the output of the adapters is multiplied by α divided by the rank.',
    source: 'LoRA 2106.09685',
    ...adapters,
    min: 1,
    max: 256,
  }),
};

const unequal = { group: 'Networks', matters: [{ 'agents.parameters': ['heterogeneous'] }] };

export const heterogeneousFields = {
  otherSize: choice(otherSizes, 'same', {
    label: 'Size of the other agents',
    help: 'The size of all networks except the first agent’s network, which has the size agents.size.',
    source: 'MARFT 2504.16129',
    ...unequal,
    labels: { same: 'the same', micro: 'micro', tiny: 'tiny', small: 'small', medium: 'medium' },
  }),
  otherVocabulary: choice(['same', ...Object.keys(otherVocabularies)], 'same', {
    label: 'Vocabulary of the others',
    help: 'All agents except the first may use another one of the world’s vocabularies. Messages are passed as text, and each listener splits the text into tokens of its own vocabulary.',
    source: 'Cothink',
    ...unequal,
    labels: { same: 'the same', ...otherVocabularies },
  }),
};

/**
 * A name of a model: `model-` and a hash of everything that determines the model's output, so that equal names always
 * mean equal models.
 */
const startName = v.pipe(v.string(), v.regex(/^model-[0-9a-f]{16}$/, 'the name of a model'));
const anyStart = '(same|warmStart|model-[0-9a-f]{16})';
/** One name for all agents after the first, or one for each of them, for at most eight agents in total. */
const startNames = v.pipe(
  v.string(),
  v.regex(new RegExp(`^${anyStart}(,${anyStart}){0,6}$`), 'names of models, with commas between'),
);
const apart = ['separate', 'heterogeneous'];

export const startFields = {
  start: choiceOr(['warmStart'], startName, 'warmStart', {
    label: 'Starting weights',
    help: 'The warm start, or a model that was exported here or trained in another run. The model must have the size and tokens of the agents; with LoRA, another small Llama is also possible, and the agents then use the size and tokens of this Llama. On the command line, agents.start=PATH is a folder, zip or GGUF file of weights, or a stored run, whose newest checkpoint is used. PATH@50 is the checkpoint after iteration 50, and PATH#1 the second agent of the run.',
    source: 'ReMA 2503.09501 (model_paths)',
    group: 'Networks',
    labels: { warmStart: 'the warm start' },
  }),
  otherStart: choiceOr(['same', 'warmStart'], startNames, 'same', {
    label: 'Starting weights of the other agents',
    help: 'All agents except the first may start from other weights. List the weights of the second agent, the third and so on, separated by commas; the last entry also applies to all later agents. On the command line, an entry may also be a path, as for the first agent.',
    source: 'ReMA 2503.09501 (model_paths)',
    group: 'Networks',
    matters: [{ 'agents.parameters': apart }],
    labels: { same: 'the same', warmStart: 'the warm start' },
  }),
};

const inWords = { group: 'Language model', matters: [{ ...onModel, 'agents.inWords': true }] };

export const wordsFields = {
  inWords: flag(true, {
    label: 'Talk in plain English',
    help: 'An imported language model reads each turn as a chat in plain English, and its messages are plain text. If this setting is off, the model reads and writes the signs of the world’s own vocabulary.',
    source: 'ReMA 2503.09501',
    group: 'Language model',
    matters: [onModel],
  }),
  prompts: namedTexts({
    label: 'Prompts',
    help: 'The texts from which the chat of each agent is made. A text that is not changed here has the words of the world or of the protocol. {question} and other words in braces are replaced by facts about the problem.',
    source: 'ReMA 2503.09501',
    ...inWords,
  }),
  examples: whole(0, {
    label: 'Examples in the prompt',
    help: 'Number of solved training problems that each chat contains before the actual problem (few-shot prompting).',
    source: 'GPT-3 2005.14165',
    ...inWords,
    min: 0,
    max: 8,
  }),
};

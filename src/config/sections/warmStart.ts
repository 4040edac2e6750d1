// The settings for the initial weights of the agents.
import * as v from 'valibot';
import { choice, flag, real, type Condition, whole } from '../field.ts';
import { taughtSources, warmStartSources } from '../names.ts';
import { demonstrated, onModel } from '../conditions.ts';

const trainedHere: Condition = { 'warmStart.source': ['train'] };
const imitatedFirst: Condition = { ...onModel, 'warmStart.modelSteps': { above: 0 } };

export const warmStart = v.object({
  source: choice(warmStartSources, 'shipped', {
    label: 'Start from',
    help: 'The warm start that comes with the page, a warm start that is first trained here, or random weights.',
    source: 'Cothink',
    labels: { shipped: 'shipped', train: 'prepare here', none: 'random' },
  }),
  steps: whole(1500, {
    label: 'Supervised steps',
    help: 'Number of training steps of the warm start when it is trained here.',
    source: 'Cothink',
    matters: [trainedHere],
    min: 1,
    max: 20000,
    step: 100,
  }),
  untilMastered: flag(false, {
    label: 'Stop once mastered',
    help: 'Ends a warm start trained here early. After every 100 supervised steps, the team solves 128 newly drawn training problems; once it ends 95 % of its dialogues properly and answers at least 90 % as many problems correctly as the demonstrations, 100 last steps with a falling learning rate follow.',
    source: 'Cothink',
    matters: [trainedHere],
  }),
  batchSize: whole(64, {
    label: 'Demonstrations per step',
    help: 'Number of dialogues or chats in one supervised step of a warm start trained here.',
    source: 'Cothink',
    matters: [trainedHere, imitatedFirst],
    min: 1,
    max: 1024,
    step: 8,
  }),
  modelSteps: whole(0, {
    label: 'Supervised steps of a language model',
    help: 'Number of training steps in which the adapters of an imported model imitate demonstrations or chats before reinforcement learning. These steps use the learning rate of the run. 0: none.',
    source: 'ReMA 2503.09501',
    matters: [onModel],
    min: 0,
    max: 2000,
  }),
  modelImitates: choice(taughtSources, 'demonstrations', {
    label: 'A language model imitates',
    help: 'The texts that the adapters of an imported model imitate before reinforcement learning: demonstrations that the world generates, or chats from a file. Each line of the file is a JSON object with the field messages, a list of messages with role (system, user or assistant) and content. Only the messages of the assistant are learned. The field agent names the agent that imitates the chat, such as planner or reasoner; without this field, all agents imitate the chat.',
    source: 'TRL (SFTTrainer)',
    matters: [imitatedFirst],
    labels: { demonstrations: 'demonstrations', chats: 'chats from a file' },
  }),
  learningRate: real(3e-3, {
    label: 'Learning rate of the warm start',
    help: 'AdamW step size of a warm start trained here. The step size decays along a cosine to a tenth of this value.',
    source: 'Cothink',
    matters: [trainedHere],
    min: 1e-5,
    max: 1e-1,
    step: 'log',
  }),
  heardWeight: real(0, {
    label: 'Weight of what is heard',
    help: 'Weight of the tokens of other agents and of the world in a warm start trained here, relative to the agent’s own tokens. With a weight above 0, the agents also learn to predict these tokens. 0: off.',
    source: 'implicit world modelling, 2510.08558',
    matters: [trainedHere],
    min: 0,
    max: 1,
    step: 0.1,
  }),
  goodPlans: real(0.25, {
    label: 'Share of good plans',
    help: 'Share of demonstrations whose plans are right; in the other demonstrations, plans are random. With a higher share, the team is better at the start and has less to learn. This setting applies to a warm start that is trained here, to SFT on demonstrations, and to preference pairs that contain demonstrations.',
    source: 'Cothink',
    matters: [trainedHere, imitatedFirst, ...demonstrated],
    min: 0,
    max: 1,
    step: 0.05,
  }),
  resultNoise: real(0.02, {
    label: 'Slips in demonstrations',
    help: 'Share of steps in demonstrations whose result is wrong on purpose. This setting applies to a warm start that is trained here, to SFT on demonstrations, and to preference pairs that contain demonstrations.',
    source: 'Cothink',
    matters: [trainedHere, imitatedFirst, ...demonstrated],
    min: 0,
    max: 0.5,
    step: 0.01,
  }),
  unheard: flag(false, {
    label: 'Unheard from the start',
    help: 'Messages that no agent reads in training are not read in the warm start either, so that the team is a control that never heard these messages. If this setting is off, the team learns to read these messages in the warm start and must do without the messages in training.',
    source: 'Cothink',
    matters: [{ ...trainedHere, 'agents.unheard': { not: ['nobody'] } }],
  }),
});

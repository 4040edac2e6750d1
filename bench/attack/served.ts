// The readers of the input to a server and a launcher: HTTP requests, gRPC messages as bytes, answers of remote worlds,
// the log of a job, and the arguments of a command line. A refusal by status is equivalent to a named error.
import { BusyError, RequestError } from '../../cli/serve/http.ts';
import { readAsked } from '../../src/extensions/servers/openai/openai.ts';
import { messagesFor, readTeamAsked } from '../../src/extensions/servers/openai/team.ts';
import { rewardsFor } from '../../src/extensions/servers/rewards/rewards.ts';
import { rowsAsked } from '../../src/extensions/servers/rewards/verify.ts';
import { readAnswer } from '../../cli/serve/worlds/answers.ts';
import { Episodes } from '../../cli/serve/worlds/episodes.ts';
import { ServedWorlds } from '../../cli/serve/worlds/servedWorlds.ts';
import { faultOf, handlersOf } from '../../src/extensions/servers/grpc/grpc.ts';
import { reset, state, step } from '../../src/extensions/servers/openEnv/openEnv.ts';
import { answerQuestion, calls, type WorldCall } from '../../cli/serve/worlds/questions.ts';
import { worldService, type CallName, type Calls } from '../../cli/serve/worlds/service.ts';
import { worldsAsked } from '../../cli/serve/worlds/asked.ts';
import { readGiven, type CommandArguments } from '../../cli/command.ts';
import { commands } from '../../cli/commands.ts';
import { collectedIn } from '../../src/extensions/launchers/ray/launcher.ts';
import { launchAsked } from '../../cli/launch/tasks.ts';
import { settingsOf } from '../../cli/train/asked.ts';
import { parseConfig, withSettings } from '../../src/config/parse.ts';
import { presetConfig, presets } from '../../src/config/presets.ts';
import { isNamedError } from '../../src/base/errors.ts';
import { plainTemplate } from '../../src/text/chat.ts';
import { Draws, streams } from '../../src/base/random.ts';
import { worldOf, worlds } from '../../src/tasks/registry.ts';
import { bytePairTokenizer, vocabularyBounds } from '../../src/text/bytePairs.ts';
import { ControlTokens, specialIn } from '../../src/text/controlTokens.ts';
import { tokenizerOf } from '../../src/text/tokenizer.ts';
import { assembleTeam } from '../../src/training/team/team.ts';
import { mutateBytes } from './mutate.ts';
import { asJson, record, text, type Reader } from './reader.ts';

/** Handles a request; a refusal counts as an answer. */
async function heard(work: () => unknown): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof RequestError || error instanceof BusyError)) throw error;
  }
}

const drawn = Object.values(worlds).map((world) => world.draw(1, new Draws(3, streams.problems, 1), 'training'));
const config = presetConfig('micro');
const team = assembleTeam(config);
const world = worldOf(config);
const episodes = new Episodes(team, () => 0);
const [problem] = [world.draw(1, new Draws(3, streams.problems, 1), 'training')];
const message = { role: 'reasoning', agent: 1, text: '5', isFinish: true };
const { name, roles, sees, round, answerFrom, messengers } = team.protocol;
const protocol = { name, roles, sees, round, answerFrom, messengers };
const questions: Record<WorldCall, object> = {
  open: { problem },
  react: { problem, state: null, message },
  judge: { problem, message },
  assess: { problem, messages: [message], protocol },
};
const answers = await Promise.all(
  calls.map(
    async (call) =>
      [
        call,
        JSON.stringify(await answerQuestion(world, call, JSON.parse(JSON.stringify(questions[call])))) ?? 'null',
      ] as const,
  ),
);

const asked: { [N in CallName]: Calls[N][0] } = {
  Health: {},
  Reset: { seed: 3, level: 1, split: 'training' },
  Step: { episode: 'nobody', text: '4*2', finish: true },
  BatchStep: {
    steps: [
      { episode: 'nobody', text: '4*2', finish: false },
      { episode: 'other', text: '', finish: true },
    ],
  },
  Ask: { questions: calls.map((call) => ({ call, given: JSON.stringify(questions[call]) })) },
};
interface Message {
  call: CallName;
  sent: Uint8Array;
}
const messages = (Object.keys(asked) as CallName[]).map((call): Message => ({
  call,
  sent: new Uint8Array(worldService[call].requestSerialize(asked[call] as never)),
}));
const handlers = handlersOf(new ServedWorlds([{ episodes, world, options: null }], 'thisMachine'));
const caller = { client: 'attack', refuseLate: () => undefined };

/** Handles a message as the server does: undecodable bytes are refused before any call. */
async function call({ call: called, sent }: Message): Promise<void> {
  let request: unknown;
  try {
    request = worldService[called].requestDeserialize(Buffer.from(sent));
  } catch {
    return;
  }
  try {
    worldService[called].responseSerialize((await handlers[called](request as never, caller)) as never);
  } catch (error) {
    // An error that is not caused by the client is the server's own.
    if (faultOf(error).message === 'internal server error') throw error;
  }
}

const json = bytePairTokenizer([], vocabularyBounds.min);
const tokenizer = tokenizerOf(json);
const network = { shape: { vocabSize: tokenizer.vocabSize } };
const chat = {
  template: plainTemplate,
  special: { bos_token: '<bos>' },
  controls: new ControlTokens(tokenizer, specialIn(json)),
};

const lines = [
  'train --preset micro --set run.seed=12 --set learning.clipHigh=0.3 --seeds 4 --out x',
  'serve --world tools --level 2 --set tools.steps=3 --port 0 --grpc 50051 --token x',
  'launch --on slurm --preset micro --seeds 3 --vary run.seed=1,2 --vary learning.clipHigh=0.2,0.3 --retries 2',
  'export run --as trajectories --out x.jsonl --agent 1',
  'collect run --rounds 3 --filter-reward 0.5 --at 7',
  'claims too-fast --seed 3',
];
/** Parses the arguments of a command as far as it does before it opens a file. */
async function commanded(line: string): Promise<void> {
  const [called = '', ...args] = line.split(' ');
  const command = commands.find((one) => one.name === called) ?? commands[line.length % commands.length];
  if (!command) return;
  const given: CommandArguments = readGiven(command, args);
  for (const option of Object.keys(command.options)) {
    for (const kind of ['whole', 'number', 'text'] as const) await named(() => void given[kind](option));
  }
  if (given.has('set')) parseConfig(withSettings(config, settingsOf(given.all('set'))));
  if (called === 'serve') await worldsAsked(given, 'thisMachine', null);
  if (called === 'launch' && given.rest.length === 0) await launchAsked(given, 'e-1');
}

/** Runs several tasks; a named refusal of one does not prevent the others. */
async function named(work: () => unknown): Promise<void> {
  try {
    await heard(work);
  } catch (error) {
    if (!isNamedError(error)) throw error;
  }
}

/** Every world with its usual protocol. */
const played = Object.keys(worlds).map((own) => {
  const preset = Object.keys(presets).find((one) => presetConfig(one).world.name === own) ?? 'default';
  const team = assembleTeam(parseConfig(withSettings(presetConfig(preset), { 'world.name': own })));
  return new ServedWorlds([{ episodes: new Episodes(team, () => 0), world: team.world, options: null }], 'nobody');
});

/** Starts an episode with the parameters in a body, and sends the body's message in an episode of the same world. */
async function play(body: unknown): Promise<void> {
  const own = played[JSON.stringify(body).length % played.length] as ServedWorlds;
  await named(() => reset(own, 'attack', body));
  const { observation } = (await reset(own, 'attack', {})) as { observation: { episode_id: string } };
  const { episode_id: id, action } = (body ?? {}) as { episode_id?: unknown; action?: unknown };
  await named(() => state(own, `/state?episode_id=${typeof id === 'string' ? id : ''}`));
  await named(() => step(own, body));
  await named(() => step(own, { episode_id: observation.episode_id, action }));
  own.list[0].episodes.close(observation.episode_id);
}

const log = [
  'cothink-archive seed-1 YWJj',
  'words',
  'cothink-archive seed-1 ZGVm',
  'cothink-done {"name": "seed-1", "error": null}',
  'cothink-done {"name": "seed-2", "error": "lost"}',
].join('\n');

export const served: readonly Reader<unknown>[] = [
  record(
    'bodies of /reward',
    drawn.flatMap((one) => [
      { problem: one, completions: [one.answer, '7', ''], weights: { rightAnswer: 1 } },
      { world: one.world, level: 1, problem: { shown: one.shown, hidden: one.hidden }, completions: [one.answer] },
    ]),
    (body) => heard(() => rewardsFor(asJson(body))),
  ),
  record(
    'bodies of /verify',
    [
      { problem, completions: ['5', ['4*2', '8']] },
      { level: 1, problem: { shown: problem.shown, hidden: problem.hidden }, completions: [] },
    ],
    (body) => heard(() => rowsAsked(asJson(body), team)),
  ),
  record(
    'bodies of /v1',
    [
      { model: '', messages: [{ role: 'user', content: 'two' }], n: 2, temperature: 0.5, stop: ['x'], max_tokens: 3 },
      { prompt: 'two', seed: 3, logprobs: 0, stop: 'x', stream: true, max_tokens: 5, echo: false },
      { prompt: [[1, 2], [3]], logprobs: 3, max_tokens: 0, echo: true },
      { messages: messagesFor(problem), seed: 3, level: 1, problem },
    ],
    async (body) => {
      for (const kind of ['chat', 'text'] as const)
        await named(() => readAsked(kind, asJson(body), 0).wishes({ chat, tokenizer, network }));
      await named(() => readTeamAsked(asJson(body), 0, { team }));
    },
  ),
  record(
    'bodies of OpenEnv',
    [
      { seed: 3, level: 1, split: 'heldOut' },
      { episode_id: '', action: { text: '4*2', finish: false } },
    ],
    (body) => play(asJson(body)),
  ),
  record(
    'questions to worlds',
    Object.entries(questions).map(([called, given]) => ({ called, given })),
    (question) => {
      const { called, given } = (asJson(question) ?? {}) as { called?: unknown; given?: unknown };
      return answerQuestion(world, typeof called === 'string' ? called : '', given);
    },
  ),
  text(
    'answers of worlds elsewhere',
    answers.map(([, json]) => json),
    async (json) => {
      for (const one of calls) await named(() => readAnswer(one, json));
    },
  ),
  {
    ...{ name: 'messages of gRPC', good: messages, worst: [], read: call },
    damage: ({ call: called, sent }: Message, _: unknown, draws: Parameters<typeof mutateBytes>[1]) => ({
      call: called,
      sent: mutateBytes(sent, draws),
    }),
  } as Reader<unknown>,
  text('log of a job', [log], collectedIn),
  text('command lines', lines, commanded),
];

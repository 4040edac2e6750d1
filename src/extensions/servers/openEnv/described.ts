// Descriptions of the served worlds that programs read: the OpenAPI document, the metadata and the JSON schemas that
// OpenEnv's tools request.
import { listedWords } from '../../../../cli/serve/listedWords.ts';
import type { ServedWorlds } from '../../../../cli/serve/worlds/servedWorlds.ts';

/** The version of these HTTP requests, which OpenEnv calls its standard `openenv-http/1.x`. */
const version = '1.0.0';

const text = { type: 'string' };
const flag = { type: 'boolean' };
const number = { type: 'number' };
const whole = { type: 'integer', minimum: 0 };
const orNull = (one: { type: string }) => ({ ...one, type: [one.type, 'null'] });

/** The schema of a reset. Without a seed, the next problem is drawn. */
const resetSchema = ({ names }: ServedWorlds) => ({
  type: 'object',
  properties: {
    world: { ...orNull(text), enum: [...names, null], description: 'The world to play in; default: the first.' },
    seed: { ...orNull(whole), maximum: 2 ** 32 - 1, description: 'The same seed draws the same problem.' },
    level: { ...orNull(whole), maximum: 99 },
    split: { ...orNull(text), enum: ['training', 'heldOut', 'harder', null] },
  },
});

const actionSchema = {
  type: 'object',
  required: ['text'],
  properties: {
    text: { ...text, description: 'The message of the agent that speaks next.' },
    finish: { ...orNull(flag), description: 'Ends the dialogue, if may_finish is true.' },
  },
};

const observationSchema = {
  type: 'object',
  properties: {
    ...{ episode_id: text, seed: whole, turns: whole },
    agent: { ...orNull(whole), description: 'The agent that speaks next; null once the dialogue is over.' },
    role: text,
    heard: { ...text, description: 'Everything that this agent has read.' },
    may_finish: flag,
    rewards: { type: 'array', items: number },
    reasons: { type: 'array', items: text },
    ...{ answer: orNull(text), is_right: flag, metadata: { type: 'object' } },
  },
};

const stateSchema = {
  type: 'object',
  properties: { episode_id: text, step_count: whole, done: flag, reward: number },
};

/** Answers `GET /schema`. */
export const schemas = (worlds: ServedWorlds): object => ({
  ...{ action: actionSchema, observation: observationSchema, state: stateSchema },
  reset: resetSchema(worlds),
});

/** Answers `GET /metadata`. */
export function metadata({ list }: ServedWorlds): object {
  const told = list.map(({ world, episodes }) => ({
    ...{ name: world.name, label: world.label, description: world.sentence },
    ...{ level: episodes.team.config.world.level, levels: world.levels.length, splits: [...world.splits] },
    vocabulary: listedWords(episodes.team.tokenizer),
    ...{ protocol: episodes.team.protocol.name, roles: [...episodes.team.protocol.roles] },
  }));
  const [first] = told;
  return { name: first?.name, description: first?.description, version, worlds: told };
}

const answers = (description: string, schema: object = { type: 'object' }) => ({
  200: { description, content: { 'application/json': { schema } } },
});
const asks = (schema: object) => ({ required: true, content: { 'application/json': { schema } } });
const result = { type: 'object', properties: { observation: observationSchema, reward: number, done: flag } };

/** Answers `GET /openapi.json`. */
export function openApi(worlds: ServedWorlds): object {
  const stepSchema = {
    type: 'object',
    required: ['episode_id', 'action'],
    properties: { episode_id: text, action: actionSchema },
  };
  const id = { name: 'episode_id', in: 'query', required: true, schema: text };
  return {
    openapi: '3.1.0',
    info: { title: `Cothink: ${worlds.list.map(({ world }) => world.label).join(', ')}`, version },
    paths: {
      '/reset': {
        post: {
          summary: 'Begins a dialogue',
          requestBody: asks(resetSchema(worlds)),
          responses: answers('The first turn', result),
        },
      },
      '/step': {
        post: {
          summary: 'Says the next message',
          requestBody: asks(stepSchema),
          responses: answers('The next turn', result),
        },
      },
      '/state': {
        get: { summary: 'The state of a dialogue', parameters: [id], responses: answers('The state', stateSchema) },
      },
      '/health': { get: { summary: 'Whether the server answers', responses: answers('It does') } },
      '/metadata': { get: { summary: 'The worlds', responses: answers('Names and descriptions') } },
      '/schema': { get: { summary: 'The JSON schemas of messages', responses: answers('The schemas') } },
      '/mcp': { post: { summary: 'JSON-RPC of MCP; a world has no tools', responses: answers('The reply') } },
    },
  };
}

// Serves the team and the agents of a run, or a model, to clients of OpenAI's completions API.
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { RouteAnswer, Door } from '../../../../cli/serve/door.ts';
import { hungUp, posted, RequestError, send } from '../../../../cli/serve/http.ts';
import type { GenerationRequest, Model, ServedModels } from '../../../../cli/serve/model.ts';
import type { ServedTeam } from '../../../../cli/serve/team.ts';
import type { Telling } from '../../../../cli/serve/telling.ts';
import { answerOf, Chunks, plainText, type AnswerText, type CompletionAnswer } from './answers.ts';
import { listedModel, listedTeam } from './listed.ts';
import { readAsked, type CompletionRequest, type Kind } from './openai.ts';
import { scoredText } from './scored.ts';
import { readTeamAsked, teamAnswers, teamChunk, teamResponse, teamUsage } from './team.ts';

const kinds: Readonly<Record<string, Kind>> = { '/v1/chat/completions': 'chat', '/v1/completions': 'text' };

/** Maximum number of response bytes that a client may leave unread. */
const mostUnread = 4_000_000;

/** The path below a model at which its tokenizer is served. */
const tokenizerPath = '/tokenizer.json';

interface Replying {
  models: ServedModels;
  response: ServerResponse;
  /** Aborted when the client no longer waits. */
  left: AbortSignal;
  /** The seed that is used if a request contains no seed. */
  seed: number;
}

const answerModels: RouteAnswer = async ({ models }, { request, response, pathname, seed }) => {
  if (!models) throw new RequestError(404, 'no model is served; start cothink serve with a run or a model.');
  if (request.method === 'GET' && pathname.startsWith('/v1/models')) {
    send(response, 200, listing(models, pathname));
    return;
  }
  const kind = kinds[pathname];
  if (!kind) throw new RequestError(404, `${pathname}: expected /v1/models, ${Object.keys(kinds).join(' or ')}.`);
  const body = await posted(request, pathname);
  const replying = { models, response, seed, left: hungUp(response) };
  const team = teamNamed(models, body);
  if (!team) return complete(kind, body, replying);
  if (kind === 'text')
    throw new RequestError(
      400,
      `model: ${team.id} is a team, which answers chats; send messages to /v1/chat/completions, or name one of its agents.`,
    );
  return converse(team, body, replying);
};

/** The team that a request names; null if it names another model. */
function teamNamed({ team }: ServedModels, body: unknown): ServedTeam | null {
  const name = (body as { model?: unknown } | null)?.model;
  return team && (name === team.id || name === `${team.id}/team`) ? team : null;
}

/** The list of models, one model, or the tokenizer of a model. */
function listing(models: ServedModels, pathname: string): object {
  const { team, list } = models;
  if (pathname === '/v1/models')
    return {
      object: 'list',
      data: [...(team ? [listedTeam(team)] : []), ...list.map((one) => listedModel(one, models))],
    };
  const asked = decoded(pathname.slice('/v1/models/'.length));
  if (team && (asked === team.id || asked === `${team.id}/team`)) return listedTeam(team);
  const isTokenizer = asked.endsWith(tokenizerPath) && !list.some(({ id }) => id === asked);
  const model = modelNamed(models, isTokenizer ? asked.slice(0, -tokenizerPath.length) : asked);
  return isTokenizer ? model.tokenizer.json : listedModel(model, models);
}

function modelNamed({ list, ids }: ServedModels, id: string): Model {
  const found = id === '' ? list[0] : list.find((model) => model.id === id);
  if (!found) throw new RequestError(404, `model: expected one of ${ids.join(', ')}.`);
  return found;
}

/** The id and the date of a response, which do not affect its content. */
const newHead = (kind: Kind) => ({
  id: `${kind === 'chat' ? 'chatcmpl' : 'cmpl'}-${randomUUID()}`,
  created: Math.floor(Date.now() / 1000),
});

/** Completes texts with a single model. */
async function complete(kind: Kind, body: unknown, { models, response, left, seed }: Replying): Promise<void> {
  const asked = readAsked(kind, body, seed);
  const model = modelNamed(models, asked.model);
  const wishes = asked.wishes(model);
  const promptTokens = wishes.reduce((sum, { context }) => sum + context.length, 0);
  const head = { ...newHead(kind), kind, model: model.id, hasLogprobs: asked.hasLogprobs, promptTokens };
  if (asked.isStreamed) {
    await stream(head, asked, { models, model, wish: wishes[0] as GenerationRequest, left, response });
    return;
  }
  const texts: AnswerText[] = [];
  for (const wish of wishes) {
    const told = await models.speak(model, wish, { left, hear: () => undefined });
    for (const one of told) texts.push(await textOf(one, asked, { models, model, wish, left }));
  }
  send(response, 200, answerOf(head, texts));
}

interface Speaking {
  models: ServedModels;
  model: Model;
  wish: GenerationRequest;
  left: AbortSignal;
}

/** A text of a response, with scores if they are requested. */
async function textOf(
  told: Telling,
  { hasLogprobs, top, isEchoed }: CompletionRequest,
  of: Speaking,
): Promise<AnswerText> {
  if (top === 0 && !isEchoed) return plainText(told);
  if (hasLogprobs) return scoredText(told, { ...of, top, isEchoed });
  const plain = plainText(told);
  return { ...plain, text: of.model.tokenizer.decode([...of.wish.context]) + plain.text };
}

/** Sends a text while it is generated. */
async function stream(
  head: CompletionAnswer,
  { hasUsage }: CompletionRequest,
  { models, model, wish, left, response }: Speaking & { response: ServerResponse },
): Promise<void> {
  const chunks = new Chunks(head, hasUsage);
  const texts = await models.speak(model, wish, { left, hear: (said) => tell(response, chunks.news(said)) });
  tell(response, chunks.end(texts));
  response.end('data: [DONE]\n\n');
}

/** Sends chunks as server-sent events. */
function tell(response: ServerResponse, news: Iterable<object>): void {
  if (!response.headersSent)
    response.writeHead(200, {
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    });
  for (const chunk of news) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  // A client that does not read its response is disconnected.
  if (response.writableLength > mostUnread) response.destroy();
}

/** Lets a team talk about a problem. */
async function converse(served: ServedTeam, body: unknown, { models, response, left, seed }: Replying): Promise<void> {
  const asked = readTeamAsked(body, seed, served);
  const { team } = served;
  const agents = [...team.protocol.roles.keys()];
  const promptTokens = agents.reduce((sum, agent) => sum + team.prompt(asked.problem, agent).length, 0);
  const head = { ...newHead('chat'), model: served.id, promptTokens };
  const hear = (choice: number, part: Parameters<typeof teamChunk>[2]) => {
    if (asked.isStreamed) tell(response, [teamChunk(head, choice, part)]);
  };
  const answers = await models.line.join(() => teamAnswers(served, asked, { left, hear }), left);
  if (!asked.isStreamed) {
    send(response, 200, teamResponse(head, answers));
    return;
  }
  if (asked.hasUsage) tell(response, [teamUsage(head, answers)]);
  response.end('data: [DONE]\n\n');
}

/** Decodes an id in the path of a request. Throws RequestError for an invalid id. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new RequestError(404, 'model: expected an id in URL encoding.');
  }
}

export const door: Door = {
  routes: { '/v1/': answerModels },
  says: ({ models }) => (models ? `/v1 with ${models.ids.join(', ')}` : ''),
};

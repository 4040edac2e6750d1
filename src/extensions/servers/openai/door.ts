// Serves the agents of a run, or a model, to clients of OpenAI's completions API.
import { randomUUID } from 'node:crypto';
import type { RouteAnswer, Door } from '../../../../cli/serve/door.ts';
import { hungUp, posted, RequestError, send } from '../../../../cli/serve/http.ts';
import type { Model } from '../../../../cli/serve/model.ts';
import { answerOf, Chunks, readAsked, type Kind } from './openai.ts';

const kinds: Readonly<Record<string, Kind>> = { '/v1/chat/completions': 'chat', '/v1/completions': 'text' };

/** Maximum number of response bytes that a client may leave unread. */
const mostUnread = 4_000_000;

const listed = ({ id, policy }: Model) => ({
  id,
  object: 'model',
  created: 0,
  owned_by: 'cothink',
  max_model_len: policy.maxPositions,
});

const askModels: RouteAnswer = async ({ models }, { request, response, pathname, seed }) => {
  if (!models) throw new RequestError(404, 'no model is served; start cothink serve with a run or a model.');
  const { list } = models;
  const named = (id: string) => {
    const found = list.find((model) => model.id === id);
    if (!found) throw new RequestError(404, `model: expected one of ${list.map((model) => model.id).join(', ')}.`);
    return found;
  };
  if (request.method === 'GET' && pathname === '/v1/models') {
    send(response, 200, { object: 'list', data: list.map(listed) });
    return;
  }
  if (request.method === 'GET' && pathname.startsWith('/v1/models/')) {
    send(response, 200, listed(named(decoded(pathname.slice('/v1/models/'.length)))));
    return;
  }
  const kind = kinds[pathname];
  if (!kind) throw new RequestError(404, `${pathname}: expected /v1/models, ${Object.keys(kinds).join(' or ')}.`);
  const asked = readAsked(kind, await posted(request, pathname), seed);
  const model = asked.model === '' ? (list[0] as Model) : named(asked.model);
  const wish = asked.wish(model);
  const head = {
    ...{ kind, model: model.id, hasLogprobs: asked.hasLogprobs, promptTokens: wish.context.length },
    // The id and the date of a response, which do not affect its content.
    ...{ id: `${kind === 'chat' ? 'chatcmpl' : 'cmpl'}-${randomUUID()}`, created: Math.floor(Date.now() / 1000) },
  };
  const left = hungUp(response);
  if (!asked.isStreamed) {
    send(response, 200, answerOf(head, await models.speak(model, wish, { left, hear: () => undefined })));
    return;
  }
  const chunks = new Chunks(head, asked.hasUsage);
  const tell = (news: Iterable<object>) => {
    if (!response.headersSent)
      response.writeHead(200, {
        'Content-Type': 'text/event-stream',
        'Cache-Control': 'no-store',
        'X-Content-Type-Options': 'nosniff',
      });
    for (const chunk of news) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    // A client that does not read its response is disconnected.
    if (response.writableLength > mostUnread) response.destroy();
  };
  const texts = await models.speak(model, wish, { left, hear: (said) => tell(chunks.news(said)) });
  tell(chunks.end(texts));
  response.end('data: [DONE]\n\n');
};

/** Decodes an id in the path of a request. Throws RequestError for an invalid id. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new RequestError(404, 'model: expected an id in URL encoding.');
  }
}

export const door: Door = {
  routes: { '/v1/': askModels },
  says: ({ models }) => (models ? `/v1 with ${models.list.map(({ id }) => id).join(', ')}` : ''),
};

// Imitates a Kubernetes cluster: an HTTP server that answers kubectl's requests about a job, a pod and a pod's files.
// Its pods are processes of this machine, and their volume claim is a folder. A lost pod is replaced as in an indexed
// job, and two pods run at a time. This shows that kubectl, the manifests and the program fit together, not how a real
// cluster behaves.
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';

/** @typedef {{ kind: string, metadata: { name: string, [field: string]: unknown }, spec: any, data?: Record<string, string>, status?: any }} Thing */

const kinds = { Pod: ['', 'pods'], ConfigMap: ['', 'configmaps'], Job: ['batch', 'jobs'] };
const cores = 2;

/**
 * Starts the server and returns its address.
 * @param {import('./launched.mjs').Check} check its folder holds the claim and the files, and pods get its environment
 */
export async function fakeCluster(check) {
  /** @type {Map<string, Thing>} */
  const things = new Map();
  const [claim, given] = [check.at('claim'), check.at('given')];
  for (const folder of [claim, given]) mkdirSync(folder);
  const runs = (/** @type {string[]} */ [command = '', ...args], env = {}) =>
    spawn(
      command,
      args.map((word) => word.replaceAll('/runs', claim).replaceAll('/given', given)),
      { env: { ...check.env, ...env } },
    );

  /** @param {Thing} thing */
  function begins(thing) {
    const { kind, spec, data = {} } = thing;
    for (const [name, text] of Object.entries(data)) writeFileSync(`${given}/${name}`, text);
    if (kind === 'Pod') thing.status = { phase: 'Running' };
    if (kind !== 'Job') return;
    thing.status = { succeeded: 0, conditions: [] };
    const waiting = Array.from({ length: spec.completions }, (_, index) => ({ index, tries: 0 }));
    let left = waiting.length;
    const next = () => {
      const task = waiting.shift();
      if (!task) return;
      const pod = runs(spec.template.spec.containers[0].command, { JOB_COMPLETION_INDEX: `${task.index}` });
      pod.on('close', (code) => {
        const isLost = code !== 0 && code !== 2 && task.tries < spec.backoffLimitPerIndex;
        if (isLost) waiting.push({ ...task, tries: task.tries + 1 });
        else left -= 1;
        if (code === 0) thing.status.succeeded += 1;
        if (left === 0)
          thing.status.conditions = [
            { type: thing.status.succeeded === spec.completions ? 'Complete' : 'Failed', status: 'True' },
          ];
        next();
      });
    };
    for (let i = 0; i < cores; i++) next();
  }

  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (bytes) => (body += bytes));
    request.on('end', () => {
      const { pathname } = new URL(request.url ?? '/', 'http://cluster');
      const told = discovered(pathname) ?? asked(request.method ?? 'GET', pathname, body);
      const missing = {
        kind: 'Status',
        apiVersion: 'v1',
        status: 'Failure',
        reason: 'NotFound',
        code: 404,
        message: `${pathname} not found`,
      };
      const type = pathname.split('/').length === 2 ? ';g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' : '';
      response.writeHead(told ? 200 : 404, { 'content-type': `application/json${type}` });
      response.end(JSON.stringify(told ?? missing));
    });
  });

  /** @param {string} method @param {string} place @param {string} body */
  function asked(method, place, body) {
    const [, plural = '', name] = /\/namespaces\/default\/(\w+)(?:\/([\w.-]+))?$/.exec(place) ?? [];
    if (method === 'POST' && plural) {
      const thing = /** @type {Thing} */ (JSON.parse(body));
      thing.metadata.namespace = 'default';
      things.set(`${plural}/${thing.metadata.name}`, thing);
      begins(thing);
      return thing;
    }
    const found = things.get(`${plural}/${name}`);
    if (method === 'DELETE') things.delete(`${plural}/${name}`);
    return found;
  }

  // The protocol of kubectl exec: a byte for the stream before each message, 1 for output, 2 for its errors, 3 for the
  // exit status.
  const sockets = new WebSocketServer({ server, handleProtocols: () => 'v5.channel.k8s.io' });
  sockets.on('connection', (socket, request) => {
    const command = new URL(request.url ?? '/', 'http://cluster').searchParams.getAll('command');
    const ran = runs(command);
    const says = (/** @type {number} */ stream) => (/** @type {Buffer | string} */ bytes) =>
      socket.send(Buffer.concat([Buffer.from([stream]), Buffer.from(bytes)]));
    ran.stdout.on('data', says(1));
    ran.stderr.on('data', says(2));
    ran.on('close', (code) => {
      const failed = {
        status: 'Failure',
        reason: 'NonZeroExitCode',
        message: `command ended with ${code}`,
        details: { causes: [{ reason: 'ExitCode', message: `${code}` }] },
      };
      says(3)(
        JSON.stringify({
          kind: 'Status',
          apiVersion: 'v1',
          metadata: {},
          ...(code === 0 ? { status: 'Success' } : failed),
        }),
      );
      socket.close(1000);
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    holds: () => [...things.keys()],
    ends: () => server.close().closeAllConnections(),
  };
}

/** Returns the answer to a question about the server's interfaces. @param {string} place */
function discovered(place) {
  if (place === '/version') return { major: '1', minor: '33', gitVersion: 'v1.33.0' };
  const of = (/** @type {string} */ group) => Object.entries(kinds).filter(([, [own]]) => own === group);
  const versions = (/** @type {string} */ group) => [
    {
      version: 'v1',
      freshness: 'Current',
      resources: of(group).map(([kind, [, resource]]) => ({
        resource,
        scope: 'Namespaced',
        verbs: ['create', 'get', 'delete'],
        responseKind: { group, version: 'v1', kind },
        singularResource: kind.toLowerCase(),
        shortNames: [],
      })),
    },
  ];
  const list = (/** @type {string} */ group) => ({
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: [{ metadata: group ? { name: group } : {}, versions: versions(group) }],
  });
  if (place === '/api') return list('');
  if (place === '/apis') return list('batch');
  const schemas = { 'api/v1': '', 'apis/batch/v1': 'batch' };
  if (place === '/openapi/v3')
    return {
      paths: Object.fromEntries(Object.keys(schemas).map((own) => [own, { serverRelativeURL: `/openapi/v3/${own}` }])),
    };
  const group = schemas[/** @type {keyof typeof schemas} */ (place.replace('/openapi/v3/', ''))];
  if (group === undefined) return null;
  // This part of a schema says that the server validates fields.
  const patched = (/** @type {string} */ kind) => ({
    patch: {
      parameters: [{ name: 'fieldValidation', in: 'query' }],
      'x-kubernetes-group-version-kind': { group, version: 'v1', kind },
    },
  });
  return {
    openapi: '3.0.0',
    info: {},
    paths: Object.fromEntries(of(group).map(([kind]) => [`/${kind}`, patched(kind)])),
  };
}

// The endpoint for clients of MCP, which OpenEnv expects from each server. A world has no tools: its agents send
// messages by /step. A client can begin a session and is told so.
import { quoted } from '../../../base/quote.ts';

/** The versions of the protocol that are understood, newest first. */
const versions = ['2025-06-18', '2025-03-26', '2024-11-05'] as const;

type Id = string | number | null;

const failed = (id: Id, code: number, message: string) => ({ jsonrpc: '2.0', id, error: { code, message } });

/**
 * Answers a request in JSON-RPC 2.0. Errors are part of the answer. Returns null for a notification, which gets no
 * answer.
 */
export function mcpAnswer(body: unknown): object | null {
  const { jsonrpc, id, method, params } = (typeof body === 'object' && body !== null ? body : {}) as Record<
    string,
    unknown
  >;
  const isId = typeof id === 'string' || typeof id === 'number' || id === null;
  if (jsonrpc !== '2.0' || typeof method !== 'string' || (id !== undefined && !isId))
    return failed(null, -32600, 'expected a request with jsonrpc 2.0 and a method.');
  if (!isId) return null;
  const result = resultOf(method, params);
  if (result) return { jsonrpc: '2.0', id, result };
  return failed(id, -32601, `${quoted(method)}: a world has no tools; send messages by /reset and /step.`);
}

function resultOf(method: string, params: unknown): object | null {
  if (method === 'ping') return {};
  if (method === 'tools/list') return { tools: [] };
  if (method !== 'initialize') return null;
  const asked = (params as { protocolVersion?: unknown } | null | undefined)?.protocolVersion;
  return {
    protocolVersion: versions.find((one) => one === asked) ?? versions[0],
    capabilities: { tools: {} },
    serverInfo: { name: 'cothink', version: '1.0.0' },
  };
}

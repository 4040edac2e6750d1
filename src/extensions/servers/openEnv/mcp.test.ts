// Tests that the endpoint for MCP answers each message as JSON-RPC prescribes.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { mcpAnswer } from './mcp.ts';

const asked = (method: string, params?: unknown, id: unknown = 1) => mcpAnswer({ jsonrpc: '2.0', id, method, params });

it('a session begins with a version that the client knows, and the server says that it has no tools', () => {
  expect(asked('initialize', { protocolVersion: '2024-11-05' })).toMatchObject({
    id: 1,
    result: { protocolVersion: '2024-11-05', capabilities: { tools: {} } },
  });
  expect(asked('initialize', { protocolVersion: 'none' })).toMatchObject({ result: { protocolVersion: '2025-06-18' } });
  expect(asked('tools/list')).toEqual({ jsonrpc: '2.0', id: 1, result: { tools: [] } });
  expect(asked('ping', undefined, 'a')).toEqual({ jsonrpc: '2.0', id: 'a', result: {} });
  expect(mcpAnswer({ jsonrpc: '2.0', method: 'notifications/initialized' })).toBeNull();
});

it('other methods and anything that is no request get an error of JSON-RPC', () => {
  expect(asked('tools/call')).toMatchObject({ id: 1, error: { code: -32601 } });
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), (body, method, id) => {
      for (const answer of [mcpAnswer(body), mcpAnswer({ jsonrpc: '2.0', method, id })])
        if (answer !== null) expect(answer).toMatchObject({ jsonrpc: '2.0' });
    }),
  );
});

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { plannedPair } from '../../config/ownProtocol.ts';
import { faultOf } from '../../config/refusals/ownProtocol.ts';
import { answeringPair, ownProtocols, possibleOwnProtocols } from '../../config/testing/ownProtocols.ts';
import { drawnProtocol, radius, withAnother, withArrow } from './protocolGraph.ts';

it('rounds are columns from left to right, and nodes lie within the drawing without overlap', () => {
  fc.assert(
    fc.property(possibleOwnProtocols(['rule'], 6), (own) => {
      const { nodes, columns, width, height } = drawnProtocol(own);
      expect(columns).toHaveLength(own.order.length);
      expect(columns).toEqual(columns.toSorted((a, b) => a - b));
      expect(nodes.map(({ agent }) => agent).toSorted()).toEqual([...own.agents.keys()]);
      for (const { x, y } of nodes) {
        expect(Math.min(x, width - x)).toBeGreaterThanOrEqual(radius);
        expect(Math.min(y, height - y)).toBeGreaterThanOrEqual(radius);
      }
      for (const a of nodes)
        for (const b of nodes) if (a !== b) expect(Math.hypot(a.x - b.x, a.y - b.y)).toBeGreaterThan(2 * radius);
    }),
  );
});

it('each agent that another hears has an arrow, and the chosen agent shows possible arrows', () => {
  fc.assert(
    fc.property(ownProtocols(['rule'], 5), (own) => {
      const drawn = drawnProtocol(own).arrows;
      for (const { speaker, listener, isHeard, line } of drawn) {
        expect(own.agents[listener]?.hears.includes(speaker)).toBe(isHeard);
        expect(isHeard).toBe(true);
        expect(line).not.toContain('NaN');
      }
      const all = drawnProtocol(own, 0).arrows.filter(({ speaker, listener }) => speaker === 0 || listener === 0);
      const there = drawnProtocol(own).nodes.length;
      expect(all).toHaveLength(2 * (there - 1));
    }),
  );
});

it('adding or removing an arrow changes nothing else', () => {
  const without = withArrow(answeringPair, 0, 1);
  expect(without).toEqual({
    ...answeringPair,
    agents: [answeringPair.agents[0], { ...answeringPair.agents[1], hears: [] }],
  });
  expect(withArrow(without, 0, 1)).toEqual(answeringPair);
});

it('a valid protocol stays valid with another agent', () => {
  for (const own of [plannedPair, answeringPair]) {
    const three = withAnother(own);
    expect(three.agents).toHaveLength(3);
    expect(faultOf(three, ['rule'])).toBeNull();
    expect(faultOf(withAnother(three), ['rule'])).toBeNull();
  }
});

// Draws a protocol. Each set of simultaneous speakers is a column, in the order in which they speak. Agents are nodes,
// and an arrow points from each agent to every agent that reads its messages. Lengths are in units of the drawing.
import type { OwnProtocol } from '../../config/ownProtocol.ts';

interface Node {
  agent: number;
  x: number;
  y: number;
}

interface Arrow {
  speaker: number;
  listener: number;
  isHeard: boolean;
  /** The SVG paths of the line and of its arrowhead. */
  line: string;
  head: string;
}

export interface GraphDrawing {
  width: number;
  height: number;
  nodes: Node[];
  /** The x coordinates of the columns, in order. */
  columns: number[];
  /** All arrows of the protocol, and the arrows that could be added from or to the selected agent. */
  arrows: Arrow[];
}

export const radius = 15;
const [width, top, spacing, least] = [280, 22, 52, 96];

/**
 * The drawing of a protocol. For the agent `chosen`, the drawing also contains arrows that do not exist but could be
 * added.
 */
export function drawnProtocol({ agents, order }: OwnProtocol, chosen: number | null = null): GraphDrawing {
  const silent = [...agents.keys()].filter((agent) => !order.some((set) => set.includes(agent)));
  // The node of an agent that speaks more than once in a round is in the column where the agent speaks first.
  const once = order.map((set, at) => set.filter((agent) => !order.slice(0, at).flat().includes(agent)));
  const sets = [...once, ...(silent.length > 0 ? [silent] : [])];
  const most = Math.max(...sets.map(({ length }) => length));
  const height = Math.max(least, top + most * spacing);
  const columns = order.map((_, set) => ((set + 0.5) * width) / sets.length);
  const nodes = sets.flatMap((set, at) =>
    set
      .filter((agent) => agent < agents.length)
      .map((agent, place): Node => ({
        agent,
        // If a column has more than two nodes, they are alternately moved to the left and right, so that an arrow
        // between two nodes does not pass through a third node.
        x: ((at + 0.5) * width) / sets.length + (place % 2 === 0 ? -1 : 1) * (set.length > 2 ? 16 : 0),
        y: top + ((place + 0.5) * (height - top)) / set.length,
      })),
  );
  const nodeOf = (agent: number) => nodes.find((node) => node.agent === agent);
  const arrows = agents.flatMap(({ hears }, listener) =>
    [...agents.keys()].flatMap((speaker): Arrow[] => {
      const [from, to] = [nodeOf(speaker), nodeOf(listener)];
      const isHeard = hears.includes(speaker);
      const isDrawn = isHeard || speaker === chosen || listener === chosen;
      return from && to && speaker !== listener && isDrawn
        ? [{ speaker, listener, isHeard, ...arrowBetween(from, to) }]
        : [];
    }),
  );
  return { width, height, nodes, columns, arrows };
}

/** An arc between two nodes. The arc bends to the left, so that arrows in opposite directions do not overlap. */
function arrowBetween(from: Node, to: Node): Pick<Arrow, 'line' | 'head'> {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = Math.hypot(dx, dy) || 1;
  const bow = Math.min(26, 0.22 * length);
  const middle = { x: (from.x + to.x) / 2 + (dy / length) * bow, y: (from.y + to.y) / 2 - (dx / length) * bow };
  const start = towards(from, middle, radius + 2);
  const end = towards(to, middle, radius + 3);
  const neck = towards(end, middle, 7);
  const [ux, uy] = [(end.x - neck.x) / 7, (end.y - neck.y) / 7];
  const side = (sign: number) => written({ x: neck.x - sign * uy * 3.6, y: neck.y + sign * ux * 3.6 });
  return {
    line: `M${written(start)}Q${written(middle)} ${written(neck)}`,
    head: `M${written(end)}L${side(1)} ${side(-1)}Z`,
  };
}

interface Point {
  x: number;
  y: number;
}

function towards(from: Point, to: Point, distance: number): Point {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  return {
    x: from.x + ((to.x - from.x) * distance) / length,
    y: from.y + ((to.y - from.y) * distance) / length,
  };
}

const written = ({ x, y }: Point) => `${x.toFixed(1)} ${y.toFixed(1)}`;

/** The protocol after one arrow is added or removed. */
export function withArrow(own: OwnProtocol, speaker: number, listener: number): OwnProtocol {
  const toggled = (hears: readonly number[]) =>
    hears.includes(speaker) ? hears.filter((other) => other !== speaker) : [...hears, speaker].sort((a, b) => a - b);
  return {
    ...own,
    agents: own.agents.map((one, agent) => (agent === listener ? { ...one, hears: toggled(one.hears) } : one)),
  };
}

/**
 * The protocol with one more agent. The new agent is a copy of the last agent. It speaks simultaneously with the last
 * agent, and the same agents hear it.
 */
export function withAnother(own: OwnProtocol): OwnProtocol {
  const last = own.agents.length - 1;
  const isPlanned = own.finisher !== null;
  // If turns count as steps, only one reasoner is possible, so the new agent is a copy of the planner.
  const like = isPlanned ? (own.finisher ?? last) : last;
  const added = last + 1;
  const heard = (hears: readonly number[]) => (hears.includes(like) ? [...hears, added] : [...hears]);
  const model = own.agents[like];
  return {
    ...own,
    agents: [
      ...own.agents.map((one) => ({ ...one, hears: heard(one.hears) })),
      ...(model ? [{ ...model, hears: [...model.hears] }] : []),
    ],
    order: own.order.map((set) => (set.includes(like) ? [...set, added] : set)),
  };
}

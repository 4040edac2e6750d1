import { expect, test } from 'vitest';
import { filmSvg, spread, type Film, type Scene } from './film.ts';

const scene = (iteration: number, accuracy: number, text = '1 - 9'): Scene => ({
  ...{ iteration, accuracy, answer: '3', isRight: accuracy > 0.5 },
  said: [{ name: 'Planner', tone: 'meta', text }],
});
const film = (scenes: Scene[]): Film => ({
  title: 'swift-lark <1> & more',
  problem: '1 − 2 × 9',
  notes: [{ label: 'the rule', text: 'multiplication first' }],
  scenes,
  curve: scenes,
});
const drawn = (scenes: Scene[]) => filmSvg(film(scenes), (name) => `#${name}`);

test('each scene is shown in its turn, and the curve keeps what was drawn', () => {
  const svg = drawn([scene(0, 0.25), scene(5, 0.5), scene(10, 0.75)]);
  // Two scenes of 1.2 s and the last one of 4 s are 6.4 s; the second scene lasts from 18.75 % to 37.5 % of them.
  expect(svg).toContain('.at1{animation:at1 6.4s step-end infinite}');
  expect(svg).toContain('@keyframes at1{0%{opacity:0}18.75%{opacity:1}37.5%{opacity:0}100%{opacity:0}}');
  expect(svg).toContain('@keyframes at2{0%{opacity:0}37.5%{opacity:1}100%{opacity:1}}');
  expect(svg).toContain('@keyframes from1{0%{opacity:0}18.75%{opacity:1}}');
  // The curve reaches from 440 (nothing solved) to 200 (everything solved) in height.
  expect(svg).toContain('d="M590 380L745 320"');
  expect(svg).toContain('d="M745 320L900 260"');
  expect(svg).toContain('<text x="590" y="164" fill="#ink" font-size="48" font-weight="700">75 %</text>');
});

test('texts are escaped, and long ones are broken and cut', () => {
  const svg = drawn([scene(0, 0.25, `${'many words '.repeat(40)}<end>`), scene(5, 0.5)]);
  expect(svg).toContain('swift-lark &lt;1&gt; &amp; more');
  expect(svg).not.toContain('end>');
  expect(svg.match(/many words many words many words/g)).toHaveLength(3);
});

test('a film of one scene stands still', () => {
  expect(drawn([scene(7, 1)])).toContain('@keyframes at0{0%{opacity:1}100%{opacity:1}}');
});

test('of many checkpoints, the first, the last and evenly spaced ones are taken', () => {
  expect(spread([0, 5, 10], 24)).toEqual([0, 5, 10]);
  expect(spread([...Array(101).keys()], 5)).toEqual([0, 25, 50, 75, 100]);
});

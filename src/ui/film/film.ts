// The film of a run: one problem as the team answers it at one checkpoint after the other, beside the curve that grows.
// It is an SVG file without scripts, so any browser plays it, also as a picture in a page or in slides. Where motion is
// not wanted, the file shows its last scene. Colours are those of the light theme.
import { say } from '../../state/visitor/language.svelte.ts';
import type { Paint, SvgElement } from '../charts/figures/drawing.ts';
import { at, shape, squeezed, svgText, written } from '../charts/figures/svgText.ts';
import { decimal, percent } from '../words.ts';

/** A message of an agent. `tone` is the colour of its role. */
interface Said {
  name: string;
  tone: 'meta' | 'reason';
  text: string;
}

/** The problem at one checkpoint, and the share of held-out problems that the team solved there. */
export interface Scene {
  iteration: number;
  accuracy: number;
  said: readonly Said[];
  answer: string;
  isRight: boolean;
}

export interface Film {
  title: string;
  /** The problem as all agents see it, and the texts that only some of them see. */
  problem: string;
  notes: readonly { label: string; text: string }[];
  /** The scenes in the order of their iterations; at least one. */
  scenes: readonly Scene[];
  /** All evaluations. Those after the last scene are not drawn. */
  curve: readonly Pick<Scene, 'iteration' | 'accuracy'>[];
}

/** The largest number of scenes. With more checkpoints, some are left out. */
export const mostScenes = 24;
/** The time in seconds for which a scene is shown, and the last one. */
const [sceneS, lastS] = [1.2, 4];
const [width, height, edge] = [960, 540, 40];
/** The area of the curve. */
const plot = { left: 590, right: 900, top: 200, bottom: 440 };
/** The number of signs of a line beside a face, and the largest number of lines. */
const [lineSigns, mostLines] = [34, 3];

/** At most `most` elements of a list, evenly spaced, with the first and the last one. */
export function spread<T>(list: readonly T[], most: number): T[] {
  if (list.length <= most) return [...list];
  return Array.from({ length: most }, (_, i) => list[Math.round((i * (list.length - 1)) / (most - 1))] as T);
}

/** Breaks a text into lines. The end of a text with too many lines is left out. */
function broken(text: string): string[] {
  const lines = [''];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1) ?? '';
    const longer = last === '' ? word : `${last} ${word}`;
    if (longer.length <= lineSigns || last === '') lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  if (lines.length <= mostLines) return lines;
  return [...lines.slice(0, mostLines - 1), `${lines[mostLines - 1]} …`];
}

/** The text of the SVG file. */
export function filmSvg({ title, problem, notes, scenes, curve }: Film, paint: Paint): string {
  const ink = { fill: paint('ink') };
  const mute = { fill: paint('mute') };
  const room = plot.left - 2 * edge;
  const wholeS = (scenes.length - 1) * sceneS + lastS;
  const share = (scene: number) => at((100 * scene * sceneS) / wholeS);
  const iterations = scenes.map(({ iteration }) => iteration);
  const [from = 0, to = from] = [iterations[0], iterations.at(-1)];
  const x = (iteration: number) =>
    at(plot.left + ((iteration - from) / Math.max(1, to - from)) * (plot.right - plot.left));
  const y = (accuracy: number) => at(plot.bottom - accuracy * (plot.bottom - plot.top));
  const group = (name: string, inside: readonly SvgElement[]): SvgElement => ({
    name: 'g',
    attributes: { class: name },
    inside: [...inside],
  });

  const face = (tone: string, [left, top]: readonly [number, number]): SvgElement => ({
    name: 'g',
    attributes: { transform: `translate(${left} ${top}) scale(.48)`, fill: paint(tone) },
    inside: [
      shape('circle', { cx: 50, cy: 50, r: 46, fill: paint(`${tone}-bg`), stroke: paint(tone), 'stroke-width': 4 }),
      shape('circle', { cx: 34, cy: 43, r: 6 }),
      shape('circle', { cx: 66, cy: 43, r: 6 }),
      shape('path', {
        ...{ d: 'M34 64q16 12 32 0', fill: 'none', stroke: paint(tone) },
        ...{ 'stroke-width': 5, 'stroke-linecap': 'round' },
      }),
    ],
  });
  const noteLines = notes.map(({ label, text }) => `${label}: ${text}`);
  const firstRow = 178 + 26 * noteLines.length;

  const sceneDrawn = ({ iteration, accuracy, said, answer, isRight }: Scene): SvgElement[] => {
    const rows: SvgElement[] = [];
    let top = 0;
    for (const { name, tone, text } of said) {
      const lines = broken(text);
      rows.push(
        face(tone, [0, top]),
        written(name, [62, top + 18], { fill: paint(tone), 'font-size': 17, 'font-weight': 700 }),
        ...lines.map((line, i) =>
          written(line, [62, top + 42 + 24 * i], {
            ...{ ...ink, 'font-size': 19, 'font-family': 'ui-monospace, monospace' },
            ...squeezed(line, 19, room - 62),
          }),
        ),
      );
      top += 34 + 24 * lines.length;
    }
    // If there are many messages, they become smaller.
    const scale = Math.min(1, (height - 60 - firstRow - 22) / top);
    const verdict = `${answer} ${isRight ? '✓' : '✗'} ${isRight ? say('right') : say('wrong')}`;
    return [
      written(say('After iteration {iteration}', { iteration }), [edge, firstRow], { ...mute, 'font-size': 19 }),
      { name: 'g', attributes: { transform: `translate(${edge} ${firstRow + 22}) scale(${at(scale)})` }, inside: rows },
      written(verdict, [edge, firstRow + 22 + scale * top + 30], {
        ...{ fill: paint(isRight ? 'good' : 'bad'), 'font-size': 26, 'font-weight': 700 },
        ...squeezed(verdict, 26, room),
      }),
      written(percent(accuracy), [plot.left, plot.top - 36], { ...ink, 'font-size': 48, 'font-weight': 700 }),
    ];
  };
  const line = { fill: 'none', stroke: paint('ink'), 'stroke-width': 4, 'stroke-linecap': 'round' };
  const drawn = curve.filter(({ iteration }) => iteration >= from && iteration <= to);
  const grown = drawn.map(({ iteration, accuracy }, at) => {
    const before = drawn[at - 1];
    const i = scenes.findIndex((scene) => scene.iteration >= iteration);
    const dot = shape('circle', { ...ink, cx: x(iteration), cy: y(accuracy), r: 5 });
    if (!before) return group(`from${i}`, [dot]);
    const d = `M${x(before.iteration)} ${y(before.accuracy)}L${x(iteration)} ${y(accuracy)}`;
    return group(`from${i}`, [shape('path', { ...line, d }), dot]);
  });
  const axis = [0, 0.5, 1].flatMap((value) => [
    shape('path', { d: `M${plot.left} ${y(value)}H${plot.right}`, stroke: paint('line'), 'stroke-width': 2 }),
    written(decimal(value, 1), [plot.left - 12, y(value) + 6], { ...mute, 'font-size': 16, 'text-anchor': 'end' }),
  ]);
  const style = [
    ...['[class^=at]{opacity:0}', '.last{opacity:1}'],
    ...scenes.map((_, i) => `.at${i}{animation:at${i} ${wholeS}s step-end infinite}`),
    ...scenes.map((_, i) => `.from${i}{animation:from${i} ${wholeS}s step-end infinite}`),
    ...scenes.map((_, i) => {
      const shown = `${share(i)}%{opacity:1}`;
      const gone = i < scenes.length - 1 ? `${share(i + 1)}%{opacity:0}` : '';
      return `@keyframes at${i}{${i > 0 ? '0%{opacity:0}' : ''}${shown}${gone}100%{opacity:${gone ? 0 : 1}}}`;
    }),
    ...scenes.map((_, i) => `@keyframes from${i}{${i > 0 ? '0%{opacity:0}' : ''}${share(i)}%{opacity:1}}`),
    '@media (prefers-reduced-motion:reduce){*{animation:none!important}}',
  ].join('\n');
  const heading = { ...ink, 'font-size': 24, 'font-weight': 700 };
  const last = scenes.at(-1);
  const summary = say('{title}: one problem at {count, plural, one {one checkpoint} other {# checkpoints}}', {
    title,
    count: scenes.length,
  });
  const told = last && say('{share} of new problems are solved in the end.', { share: percent(last.accuracy) });
  return `${svgText({
    name: 'svg',
    attributes: {
      ...{ xmlns: 'http://www.w3.org/2000/svg', viewBox: `0 0 ${width} ${height}`, width, height, role: 'img' },
      'font-family': 'system-ui, sans-serif',
    },
    inside: [
      { name: 'title', attributes: {}, inside: `${summary}. ${told ?? ''}` },
      { name: 'style', attributes: {}, inside: style },
      shape('rect', { width, height, fill: paint('panel') }),
      written(title, [edge, 56], { ...heading, ...squeezed(title, 24, width - 2 * edge) }),
      written(problem, [edge, 126], {
        ...{ ...ink, 'font-size': 34, 'font-weight': 700, 'font-family': 'ui-monospace, monospace' },
        ...squeezed(problem, 36, room),
      }),
      ...noteLines.map((text, i) =>
        written(text, [edge, 156 + 26 * i], { fill: paint('meta'), 'font-size': 19, ...squeezed(text, 19, room) }),
      ),
      written(say('New problems solved'), [plot.left, plot.top - 94], { ...mute, 'font-size': 19 }),
      ...axis,
      written(say('iteration'), [(plot.left + plot.right) / 2, plot.bottom + 56], {
        ...{ ...mute, 'font-size': 16, 'text-anchor': 'middle' },
      }),
      ...[from, to].map((iteration) =>
        written(String(iteration), [x(iteration), plot.bottom + 28], {
          ...{ ...mute, 'font-size': 16, 'text-anchor': 'middle' },
        }),
      ),
      ...grown,
      ...scenes.map((scene, i) => group(i === scenes.length - 1 ? `at${i} last` : `at${i}`, sceneDrawn(scene))),
      written('Cothink', [width - edge, height - 20], { ...mute, 'font-size': 15, 'text-anchor': 'end' }),
    ],
  })}\n`;
}

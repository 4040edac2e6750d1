import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../base/errors.ts';
import type { PreferenceText } from '../records/stored/preference.ts';
import { readPreferences, writePreferences } from './preferences.ts';

const text = fc.string({ unit: 'binary' });
const said = fc.string({ unit: 'binary', minLength: 1 });
const pair = fc
  .record({ prompt: text, chosen: said, rejected: said })
  .filter(({ chosen, rejected }) => chosen !== rejected);

describe('preference pairs as JSON Lines', () => {
  it('are refused by their size before anything is read', () => {
    expect(() => readPreferences('x'.repeat(8_000_001))).toThrow('the file: expected at most 8000000 characters');
    expect(() => readPreferences(`\n"${'x'.repeat(60_000)}"`)).toThrow('line 2: expected at most 50000 characters');
  });

  it('are read as they were written, also from concatenated files', () => {
    fc.assert(
      fc.property(fc.array(pair), fc.array(pair), (first, second) => {
        expect(readPreferences(writePreferences(first) + writePreferences(second))).toEqual([...first, ...second]);
      }),
    );
  });

  it('have one pair per line, in the columns prompt, chosen and rejected', () => {
    const mined = { group: 3, agent: 1, gap: 0.5, rejected: '2', chosen: '1\n', prompt: 'sum' };
    expect(writePreferences([mined])).toBe('{"prompt":"sum","chosen":"1\\n","rejected":"2"}\n');
  });

  it('have two more columns if it is known which tokens the speaker sampled', () => {
    const known = {
      prompt: 'sum',
      chosen: '1',
      rejected: '2',
      chosenSpans: [
        [0, 1],
        [3, 4],
      ],
      rejectedSpans: [[2, 3]],
    } satisfies PreferenceText;
    const line = '{"prompt":"sum","chosen":"1","rejected":"2","chosen_spans":[[0,1],[3,4]],"rejected_spans":[[2,3]]}\n';
    expect(writePreferences([known])).toBe(line);
    expect(readPreferences(line)).toEqual([known]);
  });

  it('may have other columns, empty lines, other line ends and a byte order mark', () => {
    const file =
      '\uFEFF{"prompt":"p","chosen":"a","rejected":"b","source":1}\r\n\r\n  \n{"rejected":"d","chosen":"c","prompt":""}';
    expect(readPreferences(file)).toEqual([
      { prompt: 'p', chosen: 'a', rejected: 'b' },
      { prompt: '', chosen: 'c', rejected: 'd' },
    ]);
    expect(readPreferences('')).toEqual([]);
  });

  it('may have null instead of spans, and NaN of Python in other columns', () => {
    const file = readFileSync(new URL('testing/pairsNullSpans.jsonl', import.meta.url), 'utf8');
    expect(readPreferences(file)).toEqual([
      { prompt: '<bos>7+4*2<eot>', chosen: '<meta>4*2<eot>', rejected: '<meta>7+4<eot>' },
      { prompt: '<bos>1+2*3<eot>', chosen: '<meta>2*3<eot>', rejected: '<meta>1+2<eot>' },
    ]);
    expect(readPreferences('{"prompt":"p","chosen":"a","rejected":"b","margin":NaN}')).toHaveLength(1);
  });

  it('are refused with line and column', () => {
    const good = '{"prompt":"p","chosen":"a","rejected":"b"}\n';
    const bad = {
      '{"prompt":"p","chosen":"a"}': /^line 2: rejected: expected text, got nothing/,
      '{"prompt":"p","chosen":"","rejected":"b"}': /^line 2: chosen: /,
      '{"prompt":7,"chosen":"a","rejected":"b"}': /^line 2: prompt: expected text, got 7/,
      '{"prompt":"p","chosen":"a","rejected":"a"}': /^line 2: chosen and rejected are the same/,
      '{"prompt":"p","chosen":"a","rejected":"b","chosen_spans":[[0,1.5]]}':
        /^line 2: chosen_spans.0.1: expected a list of pairs \[from, to\]/,
      '{"prompt":"p","chosen":"a","rejected":"b","rejected_spans":7}': /^line 2: rejected_spans: expected a list/,
      '[1]': /^line 2: /,
      'prompt,chosen,rejected': /^line 2: expected JSON/,
    };
    for (const [line, message] of Object.entries(bad)) {
      expect(() => readPreferences(good + line)).toThrow(FormatError);
      expect(() => readPreferences(good + line)).toThrow(message);
    }
  });

  it('of any text are read or refused with a FormatError', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          text,
          fc.json(),
          fc.array(fc.json()).map((lines) => lines.join('\n')),
        ),
        (file) => {
          try {
            for (const { chosen, rejected } of readPreferences(file)) expect(chosen).not.toBe(rejected);
          } catch (thrown) {
            expect(thrown).toBeInstanceOf(FormatError);
          }
        },
      ),
    );
  });
});

import { expect, it } from 'vitest';
import { FormatError } from '../../base/errors.ts';
import { largest, lessonText, linesText, resultsText, runFileText, worldText } from './runFileText.ts';

it.each([
  ['a run file', runFileText, largest.runFile, '150 kB'],
  ['a world', worldText, largest.world, '150 kB'],
  ['a lesson', lessonText, largest.lesson, '150 kB'],
  ['results of claims', resultsText, largest.results, '1 MB'],
  ['pairs', (file: File) => linesText('pairs', file), largest.pairs, '8 MB'],
  ['chats', (file: File) => linesText('chats', file), largest.chats, '8 MB'],
] as const)(
  '%s of the size that it may have is read, and a larger file refused unread with both sizes',
  async (kind, textOf, most, words) => {
    expect(await textOf(new File(['format: 1\n'], 'file'))).toBe('format: 1\n');
    expect(await textOf(new File([new Uint8Array(most)], 'file'))).toHaveLength(most);
    const film = new File([new Uint8Array(most + 1_000_000)], 'film.mp4');
    film.text = () => Promise.reject(new Error('read'));
    await expect(textOf(film)).rejects.toThrow(FormatError);
    await expect(textOf(film)).rejects.toThrow(`film.mp4: expected ${kind}`);
    await expect(textOf(film)).rejects.toThrow(`of at most ${words}, got`);
  },
);

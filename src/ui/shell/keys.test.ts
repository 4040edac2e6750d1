import { describe, expect, it, vi } from 'vitest';
import { keyAction, keyTable } from './keys.ts';

const press = (key: string, more = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  defaultPrevented: false,
  ...more,
});

describe('keys', () => {
  it('train, step and move when nothing has the focus', () => {
    expect(keyAction(press(' '), 'nothing')).toBe('toggle');
    expect(keyAction(press('s'), 'nothing')).toBe('step');
    expect(keyAction(press('ArrowLeft'), 'nothing')).toBe('rolloutBefore');
    expect(keyAction(press(']'), 'nothing')).toBe('later');
  });

  it('leave the space bar to a focused button, and everything to a text field or dialog', () => {
    expect(keyAction(press(' '), 'control')).toBeNull();
    expect(keyAction(press('s'), 'control')).toBe('step');
    for (const { key } of [press(' '), press('s'), press('?')]) {
      expect(keyAction(press(key), 'writing')).toBeNull();
      expect(keyAction(press(key), 'dialog')).toBeNull();
    }
  });

  it('leave arrows to a region that scrolls', () => {
    expect(keyAction(press('ArrowDown'), 'scrollable')).toBeNull();
    expect(keyAction(press('['), 'scrollable')).toBe('earlier');
  });

  it('ignore keys that the browser or a component handles', () => {
    expect(keyAction(press('s', { ctrlKey: true }), 'nothing')).toBeNull();
    expect(keyAction(press('ArrowUp', { defaultPrevented: true }), 'nothing')).toBeNull();
    expect(keyAction(press('x'), 'nothing')).toBeNull();
  });

  it('all have a name on the sheet, although their module is loaded before the translations', async () => {
    vi.resetModules();
    const fresh = await import('./keys.ts');
    const { Language } = await import('../../state/visitor/language.svelte.ts');
    await new Language().begin('de');
    const named = fresh.keyTable.flatMap(({ keys }) => keys);
    expect(named.filter((key) => key.trim() === '')).toEqual([]);
    expect(named).toContain('Leertaste');
  });

  it('are all on the sheet', () => {
    expect(new Set(keyTable.flatMap(({ keys }) => keys)).size).toBe(keyTable.flatMap(({ keys }) => keys).length);
    const keys = [
      'Space',
      's',
      '←',
      '→',
      ',',
      '.',
      '↑',
      '↓',
      'c',
      '[',
      ']',
      't',
      'Esc',
      '/',
      'd',
      'e',
      'p',
      'v',
      'l',
      '?',
    ];
    expect(keyTable.flatMap((row) => row.keys)).toEqual(keys);
  });
});

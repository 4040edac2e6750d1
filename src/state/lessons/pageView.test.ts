import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Notices } from '../visitor/notices.svelte.ts';
import { PageView } from './pageView.svelte.ts';

describe('how the page is shown', () => {
  it('is the one that the link names; the laboratory, with a notice, if there is none of this name', () => {
    const notices = new Notices();
    const view = new PageView({ notices });
    view.begin(null);
    expect(view.name).toBeNull();
    view.begin('projector');
    expect([view.name, view.isApart]).toEqual(['projector', false]);
    view.begin('stage');
    expect([view.name, view.isApart]).toEqual(['stage', true]);
    view.begin('lab', true);
    expect(view.name).toBeNull();
    expect(notices.list).toEqual([]);
    view.begin('wall');
    expect(view.name).toBeNull();
    expect(JSON.stringify(notices.list)).toContain('view: expected one of stage, embed, lab, projector, class');
  });

  describe('of a link without parameters', () => {
    const opened = () => {
      const view = new PageView({ notices: new Notices() });
      view.begin(null, true);
      return view;
    };
    beforeEach(() => {
      const stored = new Map<string, string>();
      vi.stubGlobal('localStorage', {
        getItem: (key: string) => stored.get(key) ?? null,
        setItem: (key: string, value: string) => stored.set(key, value),
      });
    });
    afterEach(() => vi.unstubAllGlobals());

    it('is the stage, and the laboratory for a visitor who was last there', () => {
      const first = opened();
      expect(first.name).toBe('stage');
      first.leave();
      const second = opened();
      expect(second.name).toBeNull();
      second.turn('stage');
      expect(opened().name).toBe('stage');
    });

    it('is the stage if the browser stores nothing', () => {
      vi.stubGlobal('localStorage', {
        getItem: () => {
          throw new DOMException('refused', 'SecurityError');
        },
        setItem: () => {
          throw new DOMException('refused', 'SecurityError');
        },
      });
      opened().leave();
      expect(opened().name).toBe('stage');
    });
  });

  it('is turned by key, and the dot of the pointer goes with it', () => {
    const view = new PageView({ notices: new Notices() });
    view.point();
    expect(view.isPointing).toBe(false);
    view.turn('projector');
    expect([view.name, view.isPointing]).toEqual(['projector', true]);
    view.turn('class');
    expect(view.name).toBe('class');
    view.turn('class');
    expect(view.name).toBeNull();
    view.turn('projector');
    view.leave();
    view.turn('projector');
    expect(view.isPointing).toBe(false);
  });
});

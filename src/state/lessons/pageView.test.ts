import { describe, expect, it } from 'vitest';
import { Notices } from '../visitor/notices.svelte.ts';
import { PageView } from './pageView.svelte.ts';

describe('how the page is shown', () => {
  it('is as a link asks, and one that there is not is told', () => {
    const notices = new Notices();
    const view = new PageView({ notices });
    view.begin(null);
    expect(view.name).toBeNull();
    view.begin('projector');
    expect([view.name, view.isApart]).toEqual(['projector', false]);
    view.begin('stage');
    expect([view.name, view.isApart]).toEqual(['stage', true]);
    view.begin('wall');
    expect(view.name).toBeNull();
    expect(JSON.stringify(notices.list)).toContain('view: expected one of stage, projector, class');
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

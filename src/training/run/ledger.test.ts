import { describe, expect, it } from 'vitest';
import type { Counters } from '../../engine/counters.ts';
import { profileMs } from '../../records/profile.ts';
import { Ledger } from './ledger.ts';

/** A ledger whose clock and meters are controlled by the test. */
function openLedger() {
  const at = { nowMs: 0, yieldedMs: 0, heldMs: 0, worldMs: 0, forgotten: 0 };
  const meters: Counters = {
    dispatches: 100,
    submits: 10,
    uploadedBytes: 1000,
    readBytes: 500,
    readbacks: 5,
    readMs: 50,
    gpuMs: 7,
    usedBytes: 2000,
    peakBytes: 3000,
  };
  const ledger = new Ledger({
    now: () => at.nowMs,
    meters: () => ({ ...meters }),
    restartPeak: () => at.forgotten++,
    waits: () => ({ yieldedMs: at.yieldedMs, heldMs: at.heldMs }),
    worldMs: () => at.worldMs,
  });
  const none = { rollout: 0, world: 0, scoring: 0, update: 0, evaluation: 0, readback: 0, storage: 0, idle: 0 };
  return { ledger, at, meters, none };
}

describe('the ledger', () => {
  it('charges each part what passed in it, and waiting apart: 100 ms of rollout, 30 of them for the device', () => {
    const { ledger, at, meters, none } = openLedger();
    ledger.enter('rollout');
    at.nowMs = 100;
    meters.readMs += 30;
    at.yieldedMs = 5;
    ledger.enter('update');
    at.nowMs = 160;
    ledger.count({ sampled: 950, trained: 120 });
    ledger.enter('idle');
    const profile = ledger.close();
    expect(profile.parts).toEqual({ ...none, rollout: 65, readback: 30, idle: 5, update: 60 });
    expect(profile.waits).toEqual({ rollout: 30 });
    expect(profileMs(profile)).toBe(160);
    expect(profile.sampledPerSecond).toBe(9500);
    expect(profile.trainedPerSecond).toBe(2000);
  });

  it('takes the time of the world out of the part that asked it, not out of its rate', () => {
    const { ledger, at, none } = openLedger();
    ledger.enter('rollout');
    Object.assign(at, { nowMs: 100, worldMs: 12 });
    ledger.count({ sampled: 50 });
    ledger.enter('evaluation');
    Object.assign(at, { nowMs: 120, worldMs: 13 });
    const profile = ledger.close();
    expect(profile.parts).toEqual({ ...none, rollout: 88, world: 13, evaluation: 19 });
    expect(profile.sampledPerSecond).toBe(500);
  });

  it('takes a pause out of the iteration and out of its rates', () => {
    const { ledger, at, none } = openLedger();
    ledger.enter('rollout');
    at.nowMs = 60_100;
    at.heldMs = 60_000;
    ledger.count({ sampled: 10 });
    const profile = ledger.close();
    expect(profile.parts).toEqual({ ...none, rollout: 100 });
    expect(profile).toMatchObject({ pausedMs: 60_000, sampledPerSecond: 100 });
  });

  it('charges nothing while it rests, and no work that was done then', () => {
    const { ledger, at, meters, none } = openLedger();
    ledger.enter('update');
    at.nowMs = 10;
    meters.dispatches += 3;
    ledger.rest();
    at.nowMs = 5000;
    meters.dispatches += 1000;
    meters.readMs += 1000;
    ledger.enter('storage');
    at.nowMs = 5004;
    meters.dispatches += 4;
    const profile = ledger.close();
    expect(profile.parts).toEqual({ ...none, update: 10, storage: 4 });
    expect(profile.dispatches).toBe(7);
  });

  it('charges a piece of work to its own part and goes on with the part before', async () => {
    const { ledger, at, none } = openLedger();
    const storing = () => ledger.during('storage', () => Promise.resolve((at.nowMs += 7)));
    await storing(); // while the ledger is stopped
    ledger.enter('idle');
    await storing();
    at.nowMs += 2;
    await expect(ledger.during('update', () => Promise.reject(new Error('full')))).rejects.toThrow('full');
    at.nowMs += 3;
    expect(ledger.close().parts).toEqual({ ...none, storage: 7, idle: 5 });
  });

  it('never charges more waiting than time has passed: reads may overlap with work', () => {
    const { ledger, at, meters, none } = openLedger();
    ledger.enter('update');
    at.nowMs = 20;
    meters.readMs += 90;
    at.yieldedMs = 4;
    expect(ledger.close().parts).toEqual({ ...none, idle: 4, readback: 16 });
  });

  it('counts the work between two closings, and GPU time only where it is measured', () => {
    const { ledger, meters } = openLedger();
    ledger.enter('rollout');
    Object.assign(meters, {
      dispatches: 160,
      submits: 14,
      uploadedBytes: 1100,
      readBytes: 580,
      readbacks: 6,
      gpuMs: 9,
    });
    expect(ledger.close()).toMatchObject({
      dispatches: 60,
      submits: 4,
      uploadedBytes: 100,
      readBytes: 80,
      readbacks: 1,
      gpuMs: 2,
      usedBytes: 2000,
      peakBytes: 3000,
    });
    meters.gpuMs = null;
    expect(ledger.close()).toMatchObject({ dispatches: 0, gpuMs: null });
  });

  it('starts each iteration with nothing, and drops what belongs to none', () => {
    const { ledger, at, none } = openLedger();
    ledger.enter('evaluation');
    at.nowMs = 400;
    ledger.drop();
    at.nowMs = 401;
    expect(ledger.close().parts).toEqual({ ...none, evaluation: 1 });
    expect(ledger.close().parts).toEqual(none);
    expect(at.forgotten).toBe(3);
  });
});

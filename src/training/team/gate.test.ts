import { describe, expect, it } from 'vitest';
import { Gate, yieldToMessages } from './gate.ts';

/**
 * Starts a loop that passes the gate `laps` times. `done` is the number of times that the loop has passed the gate so
 * far.
 */
function walk(gate: Gate, laps: number) {
  const walker = { done: 0, end: Promise.resolve() };
  walker.end = (async () => {
    while (walker.done < laps) {
      await gate.pass();
      walker.done++;
    }
  })();
  return walker;
}
const rest = async () => {
  for (let i = 0; i < 20; i++) await yieldToMessages();
};

describe('a gate', () => {
  it('that is open handles messages at every pass and continues', async () => {
    let heard = 0;
    const timer = setInterval(() => heard++, 0);
    const walker = walk(new Gate(), 500);
    await walker.end;
    clearInterval(timer);
    expect(walker.done).toBe(500);
    expect(heard).toBeGreaterThan(0);
  });

  it('that is closed stops the loop and reports when it has stopped', async () => {
    const gate = new Gate();
    const walker = walk(gate, 100);
    await gate.close();
    const { done } = walker;
    expect(done).toBeLessThan(100);
    await rest();
    expect(walker.done).toBe(done);
    await gate.close(); // if the gate is already closed and the loop waits, this resolves immediately
    gate.open();
    await walker.end;
    expect(walker.done).toBe(100);
  });

  it('stops several loops at once and releases all of them', async () => {
    const gate = new Gate();
    const walkers = [walk(gate, 50), walk(gate, 50)];
    await gate.close();
    await rest();
    gate.open();
    await Promise.all(walkers.map(({ end }) => end));
    expect(walkers.map(({ done }) => done)).toEqual([50, 50]);
  });

  it('answers a waiting pause when it is opened again, or when no loop will pass any more', async () => {
    const gate = new Gate();
    const opened = gate.close();
    gate.open();
    await opened;
    const released = gate.close();
    gate.release();
    await released;
    gate.open();
    await walk(gate, 3).end;
  });

  it('that is broken ends waiting and later loops with the error', async () => {
    const gate = new Gate();
    const walker = walk(gate, 50);
    await gate.close();
    const fault = new Error('the device is gone');
    gate.break(fault);
    await expect(walker.end).rejects.toBe(fault);
    await expect(gate.pass()).rejects.toBe(fault);
    expect(gate.fault).toBe(fault);
    expect(() => gate.throwFault()).toThrow(fault);
    gate.mend();
    gate.throwFault();
    await gate.pass();
  });
});

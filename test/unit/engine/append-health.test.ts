import { expect } from 'chai';
import { createMemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { AppendHealth } from '#command/engine/append-health.ts';
import { faultyEventStore } from '#test/support/faults.ts';
import { when } from '#test/support/refusal.ts';

const counted = (id: string) => ({ id, type: 'Counted', data: '{}', metadata: '{}' });

describe('the health of appends', () => {
  const opened = () => {
    const log = faultyEventStore(createMemoryEventStore());
    let now = 0;
    const health = new AppendHealth(() => now);
    const watched = health.watch(log);
    let revision = -1;
    const append = async (): Promise<void> => {
      const id = `00000000-0000-4000-8000-${String(revision + 2).padStart(12, '0')}`;
      ({ revision } = await watched.append('counter-1', revision, [counted(id)]));
    };
    const fails = async (): Promise<void> => {
      log.failAppend('before');
      await when(append()).thenFails(Error);
    };
    return { health, append, fails, pass: (milliseconds: number) => void (now += milliseconds) };
  };

  it('fails with the first append that fails, until one succeeds', async () => {
    const { health, append, fails } = opened();
    await append();
    expect(health.problem()).to.equal(null);
    await fails();
    expect(health.problem()).to.match(/^the last append failed: a fault struck/);
    await append();
    expect(health.problem()).to.equal(null);
  });

  it('recovers ten seconds after the last failure, and fails again at once', async () => {
    const { health, fails, pass } = opened();
    await fails();
    pass(9000);
    await fails();
    pass(9000);
    expect(health.problem()).to.not.equal(null);
    pass(1000);
    expect(health.problem()).to.equal(null);
    await fails();
    expect(health.problem()).to.not.equal(null);
  });

  it('does not report a conflict: the log is available', async () => {
    const { health, append } = opened();
    await append();
    const { watch } = AppendHealth.prototype;
    const log = watch.call(health, createMemoryEventStore());
    const conflicting = log.append('counter-1', 5, [counted('00000000-0000-4000-8000-000000000099')]);
    await when(conflicting).thenFails(Error);
    expect(health.problem()).to.equal(null);
  });
});

import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { createOpenInstances, type OpenInstance } from '#command/engine/open-instances.ts';
import { createInstances, drive } from '#command/engine/process-runner.ts';
import { runUnderLease } from '#command/engine/run-alone.ts';
import { createProcessRunner } from '#command/engine/resume-processes.ts';
import { createLeases } from '#engine/leases.ts';
import type { Process } from '#kernel/process.ts';
import { silentLog } from '#test/support/plain-log.ts';
import { countdown } from '#test/support/countdown.ts';

/** Sends two letters together and, once both are answered, a third. */
const letters: Process<number, string, string> = {
  name: 'letters',
  initial: () => 0,
  react: (answered, input) => {
    if (input === 'open') return { state: 0, outputs: ['a', 'b'] };
    return { state: answered + 1, outputs: answered === 1 ? ['c'] : [] };
  },
};

describe('driving a process', () => {
  it('sends what one reaction asks for together, and feeds each result back', async () => {
    const sent: string[] = [];
    const both = countdown(2);
    const state = await drive(letters, 'open', async (letter) => {
      sent.push(letter);
      if (letter !== 'c') {
        both.arrive();
        await both.all;
      }
      return letter;
    });
    expect(sent).to.deep.equal(['a', 'b', 'c']);
    expect(state).to.equal(3);
  });

  it('waits for the other steps when one fails, goes no further, and says why', async () => {
    const done: string[] = [];
    const error = await drive(letters, 'open', async (letter) => {
      if (letter === 'a') throw new Error('away');
      await Promise.resolve();
      done.push(letter);
      return letter;
    }).catch((reason: unknown) => reason);
    expect(error).to.include({ message: 'away' });
    expect(done).to.deep.equal(['b']);
  });
});

describe('the instances of a process', () => {
  it('run one at a time by id, and can run again afterwards, also after a failure', async () => {
    const instances = createInstances<number>('count');
    let runs = 0;
    const run = () => instances.run('one', () => Promise.resolve(++runs));
    expect(await Promise.all([run(), run()])).to.deep.equal([1, 1]);
    await instances.run('one', () => Promise.reject(new Error('away'))).catch(() => undefined);
    expect(await run()).to.equal(2);
  });
});

const placement: OpenInstance = { process: 'place-order', id: 'basket', revision: 3 };
const payment: OpenInstance = { process: 'settle-payment', id: 'invoice', revision: 1 };

/** A runner whose instances are whatever a test lets stand open. */
const openRunner = (
  open: OpenInstance[],
  resume: (instance: OpenInstance) => Promise<void>,
  idleMilliseconds?: number,
) => {
  const stateStore = createMemoryDocumentStore();
  const looked = countdown(1);
  const list = (): readonly OpenInstance[] => {
    looked.arrive();
    return [...open];
  };
  const runner = createProcessRunner({
    open: { ...createOpenInstances(), list },
    leases: createLeases({ stateStore, instanceId: 'one', isOnlyWriter: true }),
    log: silentLog,
    isOnlyWriter: true,
    whenReady: () => Promise.resolve(),
    resume: { 'place-order': resume, 'settle-payment': resume, 'expire-invoice': resume },
    ...(idleMilliseconds === undefined ? {} : { idleMilliseconds }),
  });
  runner.start();
  return { ...runner, hasLooked: looked.all };
};

describe('an instance that another process drives', () => {
  it('runs in one process at a time, and leaves nothing behind', async () => {
    const stateStore = createMemoryDocumentStore();
    const processes = ['one', 'other'].map((instanceId) => {
      const leases = createLeases({ stateStore, instanceId, isOnlyWriter: false });
      return createInstances<string>('letters', runUnderLease(leases));
    });
    const [one, other] = processes;
    const held = Promise.withResolvers<string>();
    const begun = countdown(1);
    const running = one?.run('a', () => {
      begun.arrive();
      return held.promise;
    });
    await begun.all;
    expect(await other?.run('a', () => Promise.resolve('second'))).to.equal(null);
    expect(await other?.run('b', () => Promise.resolve('second'))).to.equal('second');
    held.resolve('first');
    expect(await running).to.equal('first');
    expect(await other?.run('a', () => Promise.resolve('second'))).to.equal('second');
    expect(await stateStore.count('leases')).to.equal(0);
  });
});

describe('what a crash left open', () => {
  it('is finished as soon as the runner starts', async () => {
    const both = countdown(2);
    const resumed: OpenInstance[] = [];
    const runner = openRunner([placement, payment], (instance) => {
      resumed.push(instance);
      both.arrive();
      return Promise.resolve();
    });
    await both.all;
    await runner.stop();
    expect(resumed).to.have.deep.members([placement, payment]);
  });

  it('is tried again while it fails, and does not hold up the others', async () => {
    const often = countdown(3);
    const open = [payment, placement];
    const stuck = Promise.withResolvers<void>();
    const runner = openRunner(
      open,
      ({ process }) => {
        if (process === 'settle-payment') return stuck.promise;
        often.arrive();
        return Promise.reject(new Error('away'));
      },
      1,
    );
    await often.all;
    expect(runner.openCount()).to.equal(2);
    stuck.resolve();
    await runner.stop();
  });

  it('is left to the request that drives it while it makes progress', async () => {
    const open: OpenInstance[] = [];
    const resumed: OpenInstance[] = [];
    const runner = openRunner(open, (instance) => {
      resumed.push(instance);
      return Promise.resolve();
    });
    await runner.hasLooked;
    open.push(placement);
    expect(await runner.idle(5)).to.equal(false);
    open.pop();
    expect(await runner.idle(1000)).to.equal(true);
    await runner.stop();
    expect(resumed).to.deep.equal([]);
  });
});

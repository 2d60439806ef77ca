import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import { createOpenInstances, type OpenInstance } from '#command/engine/open-instances.ts';
import { modules } from '#command/modules.ts';
import { createInstances } from '#command/engine/run-process.ts';
import { runUnderLease } from '#command/engine/run-alone.ts';
import {
  createProcessRunner,
  type ProcessDriver,
  type ProcessRunnerOptions,
} from '#command/engine/resume-processes.ts';
import { createLeases } from '#runtime/leases.ts';
import type { Process } from '#kernel/process.ts';
import { anyMeta, startTestEngine, testStreams } from '#test/support/engine.ts';
import { silentLog } from '#test/support/plain-log.ts';
import { countdown } from '#test/support/countdown.ts';

const placement: OpenInstance = { process: 'place-order', id: 'basket', revision: 3 };
const payment: OpenInstance = { process: 'settle-payment', id: 'invoice', revision: 1 };

/** A runner whose instances are whatever a test lets stand open. */
const openRunner = (
  open: OpenInstance[],
  resume: (process: string, id: string, meta: CommandMeta) => Promise<void>,
  idleMilliseconds?: number,
  drain: () => Promise<void> = () => Promise.resolve(),
  {
    log = silentLog,
    isWaiting = () => false,
  }: Partial<Pick<ProcessRunnerOptions, 'log'> & Pick<ProcessDriver, 'isWaiting'>> = {},
) => {
  const stateStore = createMemoryDocumentStore();
  const processes = modules.flatMap((module) => module.processes ?? []);
  const looked = countdown(1);
  const list = (): readonly OpenInstance[] => {
    looked.arrive();
    return [...open];
  };
  const runner = createProcessRunner({
    open: { ...createOpenInstances(processes), list },
    leases: createLeases({ stateStore, instanceId: 'one', isOnlyWriter: true }),
    log,
    isOnlyWriter: true,
    whenReady: () => Promise.resolve(),
    drivers: Object.fromEntries(
      processes.map(({ name }) => [
        name,
        { resume: (id: string, meta: CommandMeta) => resume(name, id, meta), drain, isWaiting },
      ]),
    ),
    ...(idleMilliseconds === undefined ? {} : { idleMilliseconds }),
  });
  runner.start();
  return { ...runner, hasLooked: looked.all };
};

describe('an instance that another process drives', () => {
  it('runs in one process at a time, and leaves nothing behind', async () => {
    const stateStore = createMemoryDocumentStore();
    const held = Promise.withResolvers<string>();
    const post = (text: string) => Promise.resolve(`posted ${text}`);
    const letter: Process<string, null> = {
      name: 'letter',
      on: {},
      takenOver: null,
      begins: () => null,
      steps: [{ name: 'post it', commands: (input) => [{ call: 'post', input }] }],
      completes: null,
      fails: null,
    };
    const { engine, clock } = await startTestEngine();
    const streams = testStreams(engine, clock);
    const processes = ['one', 'other'].map((instanceId) => {
      const leases = createLeases({ stateStore, instanceId, isOnlyWriter: false });
      return createInstances({ process: letter, calls: { post }, streams, runAlone: runUnderLease(leases) });
    });
    const [one, other] = processes;
    const begun = countdown(1);
    const running = one?.run('a', anyMeta(), () => {
      begun.arrive();
      return held.promise;
    });
    const second = (id: string) => other?.run(id, anyMeta(), () => Promise.resolve('second'));
    await begun.all;
    expect(await second('a')).to.equal(null);
    expect(await second('b')).to.include({ start: 'second', result: 'posted second' });
    held.resolve('first');
    expect(await running).to.include({ start: 'first', result: 'posted first' });
    expect(await second('a')).to.include({ start: 'second' });
    expect(await stateStore.count('leases')).to.equal(0);
  });
});

describe('what a crash left open', () => {
  it('is finished as soon as the runner starts', async () => {
    const both = countdown(2);
    const resumed: string[] = [];
    const runner = openRunner([placement, payment], (process, id) => {
      resumed.push(`${process} ${id}`);
      both.arrive();
      return Promise.resolve();
    });
    await both.all;
    await runner.stop();
    expect(resumed).to.have.members(['place-order basket', 'settle-payment invoice']);
  });

  it('is tried again while it fails, and does not hold up the others', async () => {
    const often = countdown(3);
    const open = [payment, placement];
    const stuck = Promise.withResolvers<void>();
    const runner = openRunner(
      open,
      (process) => {
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

  it('is said once to wait for something outside, and is no warning', async () => {
    const often = countdown(3);
    const said: unknown[] = [];
    const note =
      (level: string) =>
      (...what: readonly unknown[]): void =>
        void said.push([level, what[0]]);
    const runner = openRunner(
      [payment],
      () => {
        often.arrive();
        return Promise.reject(new Error('the provider has not answered yet'));
      },
      1,
      undefined,
      { log: { info: note('info'), warn: note('warn') }, isWaiting: () => true },
    );
    await often.all;
    await runner.stop();
    const { process, id } = payment;
    expect(said).to.deep.equal([['info', { process, id, reason: 'the provider has not answered yet' }]]);
  });

  it('goes on in the name of the request that opened it', async () => {
    const resumed = Promise.withResolvers<CommandMeta>();
    const openedBy = { eventId: 'opening', correlationId: 'a request' };
    const runner = openRunner([{ ...placement, openedBy }], async (_process, _id, meta) =>
      resumed.resolve(meta),
    );
    expect(await resumed.promise).to.include({ correlationId: 'a request', causationId: 'opening' });
    await runner.stop();
  });

  it('is left to the request that drives it while it makes progress', async () => {
    const open: OpenInstance[] = [];
    const resumed: string[] = [];
    const runner = openRunner(open, (_, id) => {
      resumed.push(id);
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

describe('a runner that stops', () => {
  it('waits for every run in progress, even those it did not start', async () => {
    const running = Promise.withResolvers<void>();
    const asked = countdown(3);
    const runner = openRunner(
      [],
      () => Promise.resolve(),
      1,
      () => {
        asked.arrive();
        return running.promise;
      },
    );
    let isStopped = false;
    const stopping = runner.stop().then(() => {
      isStopped = true;
    });
    await asked.all;
    expect(isStopped).to.equal(false);
    running.resolve();
    await stopping;
    expect(isStopped).to.equal(true);
  });
});

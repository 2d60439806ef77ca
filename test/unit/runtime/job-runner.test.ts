import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import {
  createJobRunner,
  type Job,
  type JobRunner,
  type JobRunnerOptions,
  type JobSummary,
} from '#runtime/job-runner.ts';
import { createLeases } from '#runtime/leases.ts';
import { shopClock, silentLog } from '#test/support/plain-log.ts';
import { when } from '#test/support/refusal.ts';

const runnerOf = (
  jobs: readonly Job[],
  startAfterMs = 30_000,
  log: JobRunnerOptions['log'] = silentLog,
): JobRunner =>
  createJobRunner({
    jobs,
    leases: createLeases({ stateStore: createMemoryDocumentStore(), instanceId: 'r1', isOnlyWriter: true }),
    clock: shopClock,
    log,
    startAfterMs,
  });

const everySecond = '* * * * * *';

describe('the job runner', () => {
  it("runs a job when it is asked to, at the shop's time, and returns its summary", async () => {
    const runner = runnerOf([{ name: 'count', schedule: everySecond, runOnce: async (now) => ({ now }) }]);
    expect(await runner.runNow('count')).to.deep.equal({ now: shopClock.now() });
    expect(await runner.runNow('unheard-of')).to.equal(null);
    await runner.stop();
  });

  it('runs what is urgent at once, and nothing else before its first tick', async () => {
    const ran: string[] = [];
    const job = (name: string, isUrgent?: boolean): Job => ({
      name,
      schedule: everySecond,
      ...(isUrgent === undefined ? {} : { isUrgent: () => isUrgent }),
      runOnce: async () => {
        ran.push(name);
        return {};
      },
    });
    const runner = runnerOf([job('urgent', true), job('not urgent', false), job('any')]);
    runner.runUrgent();
    await runner.stop();
    expect(ran).to.deep.equal(['urgent']);
  });

  it('lets a job run a last time at the stop, whatever another one says', async () => {
    const ran: string[] = [];
    const runOnce = () => Promise.resolve({});
    const last = (name: string, run: () => Promise<JobSummary>): Job => ({
      name,
      schedule: everySecond,
      runOnce,
      atStop: () => (ran.push(name), run()),
    });
    const failing = last('failing', () => Promise.reject(new Error('the store is away')));
    const runner = runnerOf([
      failing,
      last('sealing', runOnce),
      { name: 'other', schedule: everySecond, runOnce },
    ]);
    runner.start();
    await runner.stop();
    expect(ran).to.have.members(['failing', 'sealing']);
  });

  it('lets no job run at the stop of a process that has not started its own', async () => {
    const ran: string[] = [];
    const runner = runnerOf([
      {
        name: 'sealing',
        schedule: everySecond,
        runOnce: () => Promise.resolve({}),
        atStop: () => Promise.resolve({ ran: ran.push('sealing') }),
      },
    ]);
    await runner.stop();
    expect(ran).to.deep.equal([]);
  });

  it('never runs a job twice at the same time', async () => {
    let running = 0;
    let most = 0;
    const runOnce = async (): Promise<{ runs: number }> => {
      most = Math.max(most, ++running);
      await new Promise(setImmediate);
      running--;
      return { runs: 1 };
    };
    const runner = runnerOf([{ name: 'count', schedule: everySecond, runOnce }]);
    await Promise.all(Array.from({ length: 5 }, () => runner.runNow('count')));
    expect(most).to.equal(1);
    await runner.stop();
  });

  it('logs a run that did something, and keeps quiet about one that found nothing to do', async () => {
    const lines: string[] = [];
    const log = { ...silentLog, info: (...said: unknown[]) => void lines.push(String(said[1])) };
    const summaries = [{ removed: 0, byKind: { a: 0 } }, { removed: 0, byKind: { a: 1 } }, { removed: 3 }];
    const runOnce = async (): Promise<JobSummary> => summaries.shift() ?? {};
    const runner = runnerOf([{ name: 'purge', schedule: everySecond, runOnce }], 30_000, log);
    const linesAfter: number[] = [];
    while (summaries.length > 0) {
      await runner.runNow('purge');
      linesAfter.push(lines.length);
    }
    await runner.stop();
    expect(linesAfter).to.deep.equal([0, 1, 2]);
  });

  it('tells the caller that a job failed, and runs it again the next time', async () => {
    let runs = 0;
    const runOnce = async (): Promise<{ runs: number }> => {
      if (++runs === 1) throw new Error('the first run fails');
      return { runs };
    };
    const runner = runnerOf([{ name: 'count', schedule: everySecond, runOnce }]);
    await when(runner.runNow('count')).thenFails(Error, 'the first run fails');
    expect(await runner.runNow('count')).to.deep.equal({ runs: 2 });
    await runner.stop();
  });

  it('runs by its schedule, and survives a job that fails', async () => {
    const ran: string[] = [];
    const both = Promise.withResolvers<void>();
    const run = (name: string): void => {
      ran.push(name);
      if (new Set(ran).size === 2) both.resolve();
    };
    const failing = async (): Promise<never> => {
      run('failing');
      throw new Error('no');
    };
    const runner = runnerOf(
      [
        { name: 'failing', schedule: everySecond, runOnce: failing },
        { name: 'second', schedule: everySecond, runOnce: async () => (run('second'), {}) },
      ],
      0,
    );
    runner.start();
    await both.promise;
    await runner.stop();
    expect(ran).to.include.members(['failing', 'second']);
    expect(await runner.runNow('second')).to.deep.equal({});
  });

  it('skips ticks at which a job is not due, but runs it on request', async () => {
    const runs: string[] = [];
    let ticked = (): void => undefined;
    const ticks = new Promise<void>((resolve) => (ticked = resolve));
    const runOnce = (name: string) => async (): Promise<JobSummary> => (runs.push(name), {});
    const isDue = (): boolean => (ticked(), false);
    const runner = runnerOf([{ name: 'idle', schedule: everySecond, isDue, runOnce: runOnce('idle') }], 0);
    runner.start();
    await ticks;
    await runner.stop();
    expect(runs).to.deep.equal([]);
    await runner.runNow('idle');
    expect(runs).to.deep.equal(['idle']);
  });

  it('refuses an invalid schedule', () => {
    expect(() => runnerOf([{ name: 'count', schedule: 'now and then', runOnce: async () => ({}) }])).to.throw(
      'count',
    );
  });
});

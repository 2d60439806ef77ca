import { setTimeout as pause } from 'node:timers/promises';
import type { Memory } from './dispatch.ts';
import { median, milliseconds, percent, spread, whole, type Figure } from './figures.ts';
import type { Bench } from './http-rows.ts';
import type { Received } from './receiver.ts';
import { dispatching, targets } from './webhook-rows.ts';
import type { Dispatcher, Receiver } from './workers.ts';

const PATIENCE_MS = 120_000;
const HEALTHY = 20;
const PER_SECOND = 1000;
const FIRST_BYTE_MS = 100;
const DEAD_QUEUED = 10_000;
const CHANGE = 0.2;
const QUEUED = 100_000;
const GROWTH = 0.1;
const EVERY_MS = 50;
const SETTLED_MS = 2000;

/** Notices that a dispatcher has to a dead receiver. */
const dead = new WeakMap<Dispatcher, number>();

const deadTarget = ({ port }: Receiver): string => `http://127.0.0.1:${port}/dead`;

/** Sells, and waits until agents were told and the mails and other effects of the sales are done. */
const sold = async (dispatcher: Dispatcher, receiver: Receiver, count: number): Promise<void> => {
  await receiver.run({ kind: 'reset', samples: false });
  await dispatcher.run({ kind: 'agent-sales', targets: targets(receiver, HEALTHY), count });
  await receiver.run({ kind: 'count', atLeast: count, patienceMs: PATIENCE_MS });
  await pause(SETTLED_MS);
};

/** As many notices in all, to a receiver that never answers: the first of a sale, the others like it. */
const queuedToDead = async (dispatcher: Dispatcher, receiver: Receiver, notices: number): Promise<Memory> => {
  if (!dead.has(dispatcher)) {
    await dispatcher.run({ kind: 'agent-sales', targets: [deadTarget(receiver)], count: 1 });
    await dispatcher.run({ kind: 'notices', notices: 1 });
  }
  const before = dead.get(dispatcher) ?? 1;
  await dispatcher.run({ kind: 'like-notices', count: notices - before });
  dead.set(dispatcher, notices);
  return dispatcher.run<Memory>({ kind: 'notices', notices });
};

const changed = async (
  dispatcher: Dispatcher,
  receiver: Receiver,
  { count, everyMs }: { readonly count: number; readonly everyMs: number },
): Promise<Received> => {
  await receiver.run({ kind: 'reset', samples: everyMs > 0 });
  await dispatcher.run({ kind: 'agent-changes', count, everyMs });
  return receiver.run({ kind: 'count', atLeast: count, patienceMs: PATIENCE_MS });
};

const measureRate = (bench: Bench): Promise<Figure> =>
  dispatching(bench, async (dispatcher, receiver) => {
    const count = bench.isQuick ? 1000 : 3000;
    await sold(dispatcher, receiver, count * bench.runs);
    const rates: number[] = [];
    for (let turn = 0; turn < bench.runs; turn++)
      rates.push((await changed(dispatcher, receiver, { count, everyMs: 0 })).perSecond);
    return {
      work: 'notices to agents per second, one process, receivers that answer at once',
      measured: `${spread(rates, whole)} /s`,
      reach: `at least ${whole(PER_SECOND)} /s`,
      isReached: median(rates) >= PER_SECOND,
    };
  });

/** From the event to the first byte at healthy receivers, beside a dead one with `deadQueued` notices. */
const p95sBeside = (bench: Bench, deadQueued: number): Promise<readonly number[]> =>
  dispatching(bench, async (dispatcher, receiver) => {
    if (deadQueued > 0) await queuedToDead(dispatcher, receiver, deadQueued);
    const count = bench.isQuick ? 60 : 200;
    await sold(dispatcher, receiver, count * bench.runs);
    const p95s: number[] = [];
    for (let turn = 0; turn < bench.runs; turn++)
      p95s.push((await changed(dispatcher, receiver, { count, everyMs: EVERY_MS })).p95);
    return p95s;
  });

const measureDelays = async (bench: Bench): Promise<readonly Figure[]> => {
  const alone = await p95sBeside(bench, 0);
  const beside = await p95sBeside(bench, bench.isQuick ? DEAD_QUEUED / 10 : DEAD_QUEUED);
  const changes = beside.map((one, turn) => one / (alone[turn] ?? one) - 1);
  return [
    {
      work: 'from an event to the first byte of its notice, idle: p95',
      measured: spread(alone, milliseconds),
      reach: `under ${whole(FIRST_BYTE_MS)} ms`,
      isReached: median(alone) < FIRST_BYTE_MS,
    },
    {
      work: `one dead receiver with ${whole(DEAD_QUEUED)} notices queued beside ${HEALTHY} healthy ones: their p95`,
      measured: `${spread(beside, milliseconds)}, ${spread(changes, percent)} more than without it`,
      reach: 'within 20 %',
      isReached: median(changes) <= CHANGE,
    },
  ];
};

const measureMemory = async (bench: Bench): Promise<Figure> => {
  const all = bench.isQuick ? QUEUED / 10 : QUEUED;
  const [few, many] = await dispatching(bench, async (dispatcher, receiver) => [
    await queuedToDead(dispatcher, receiver, all / 10),
    await queuedToDead(dispatcher, receiver, all),
  ]);
  return {
    work: `memory with ${whole(all)} notices queued`,
    measured: `${whole(many.heapMegabytes)} MB of heap; with ${whole(all / 10)}: ${whole(few.heapMegabytes)} MB`,
    reach: 'the same, within 10 %',
    isReached: many.heapMegabytes <= few.heapMegabytes * (1 + GROWTH),
  };
};

/** Notices to agents on their way (docs/rules/agent-notices.md). */
export const measureAgentNotices = async (bench: Bench): Promise<Figure[]> => {
  const figures: Figure[] = [];
  const add = (more: readonly Figure[]): void => {
    for (const figure of more) bench.tell(figure);
    figures.push(...more);
  };
  add([await measureRate(bench)]);
  add(await measureDelays(bench));
  add([await measureMemory(bench)]);
  return figures;
};

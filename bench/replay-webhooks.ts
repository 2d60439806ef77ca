import type { Replayed } from './dispatch.ts';
import { milliseconds, percent, whole, type Figure } from './figures.ts';
import type { Bench } from './http-rows.ts';
import type { Received } from './receiver.ts';
import { dispatching, targets } from './webhook-rows.ts';

const QUEUED_A_SECOND = 2000;
const CHANGE = 0.2;
const GROWTH = 0.1;
const HEALTHY = 5;
const EVERY_MS = 50;
const PACED = 100;
const PATIENCE_MS = 600_000;
const replayedTopic = 'inventory.reserved';
const liveTopic = 'order.status_changed';

interface ReplayOf extends Replayed {
  readonly deliveries: number;
  readonly before: Received;
  readonly during: Received;
}

/** Replays what a receiver that failed was not told, beside healthy ones that are told what is new. */
const replayOf = (bench: Bench, deliveries: number): Promise<ReplayOf> =>
  dispatching(bench, async (dispatcher, receiver) => {
    const failing = [`http://127.0.0.1:${receiver.port}/failing`];
    const [subscriptionId = ''] = await dispatcher.run<readonly string[]>({
      kind: 'subscribe',
      topic: replayedTopic,
      targets: failing,
    });
    const healthy = targets(receiver, HEALTHY);
    await dispatcher.run({ kind: 'subscribe', topic: liveTopic, targets: healthy });
    await dispatcher.run({ kind: 'happen', topic: replayedTopic, count: deliveries, everyMs: 0 });
    await dispatcher.run({ kind: 'queued', deliveries });
    await dispatcher.run({ kind: 'give-up', subscriptionId });
    await receiver.run({ kind: 'mend' });
    const live = async (count: number): Promise<Received> => {
      await receiver.run({ kind: 'reset', samples: true });
      await dispatcher.run({ kind: 'happen', topic: liveTopic, count, everyMs: EVERY_MS });
      return receiver.run({ kind: 'count', atLeast: count * HEALTHY, patienceMs: PATIENCE_MS });
    };
    await live(20);
    const before = await live(bench.isQuick ? 20 : PACED);
    await receiver.run({ kind: 'reset', samples: true });
    const replayed = await dispatcher.run<Replayed>({
      kind: 'replay',
      ...{ subscriptionId, meanwhile: liveTopic, everyMs: EVERY_MS },
    });
    const during = await receiver.run<Received>({ kind: 'count', atLeast: 1, patienceMs: PATIENCE_MS });
    bench.say(
      `replay of ${whole(deliveries)}: ${whole(replayed.queued)} queued, ${whole((replayed.queued * 1000) / replayed.milliseconds)} per second, p95 of new ones ${milliseconds(during.p95)} (before: ${milliseconds(before.p95)}), at most ${whole(replayed.peakResidentMegabytes)} MB resident, longest pause ${milliseconds(replayed.longestPauseMs)}`,
    );
    return { ...replayed, deliveries, before, during };
  });

const memoryOf = ({ heapMegabytes, peakResidentMegabytes }: Replayed): string =>
  `${whole(heapMegabytes)} MB of heap, at most ${whole(peakResidentMegabytes)} MB resident meanwhile`;

/** Deliveries that were given up, queued again by a replay, few and many of them. */
export const measureReplayOfWebhooks = async (
  bench: Bench,
  [few, many]: readonly [number, number],
): Promise<Figure[]> => {
  const [small, large] = [await replayOf(bench, few), await replayOf(bench, many)];
  const perSecond = ({ queued, milliseconds: ms }: Replayed): number => (queued * 1000) / ms;
  const slower = large.during.p95 / large.before.p95 - 1;
  return [
    {
      work: `a replay of ${whole(many)} deliveries that were given up: queued`,
      measured: `${whole(perSecond(large))} /s; of ${whole(few)}: ${whole(perSecond(small))} /s`,
      reach: `at least ${whole(QUEUED_A_SECOND)} /s`,
      isReached: perSecond(large) >= QUEUED_A_SECOND,
    },
    {
      work: 'from the event to the first byte of a new delivery while it queues: p95',
      measured: `${milliseconds(large.during.p95)}, ${percent(slower)} more than before it; longest pause of the event loop ${milliseconds(large.longestPauseMs)}`,
      reach: 'within 20 %',
      isReached: slower <= CHANGE,
    },
    {
      work: `memory after a replay of ${whole(many)} was queued`,
      measured: `${memoryOf(large)}; of ${whole(few)}: ${memoryOf(small)}`,
      reach: 'the same heap, within 10 %',
      isReached: large.heapMegabytes <= small.heapMegabytes * (1 + GROWTH),
    },
  ];
};

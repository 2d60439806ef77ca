import type { Logger } from 'pino';
import { createBackgroundRuns } from '#command/engine/background-runs.ts';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { derivedId } from '#kernel/ids.ts';
import type { Clock } from '#kernel/clock.ts';
import type { CancellationOutcome } from '#ports/fulfilment-provider.ts';
import type { Job } from '#runtime/job-runner.ts';
import { inParallel } from '#runtime/work-off.ts';
import { fulfilmentOf, type OrderFulfilment } from '../invoices/fulfilment/fulfilments.state.ts';
import { isKnown } from '../invoices/invoice.state.ts';
import type { FulfilmentWork, OrderWork } from './fulfilment-work.ts';
import type { KnownConfigurations } from './known-configuration.ts';
import { invoiceStream } from '../invoices/invoice.stream.ts';
import type { Submissions } from './submissions.ts';

export interface FulfilmentWorkerDeps extends Pick<CommandDeps, 'streams'> {
  readonly work: FulfilmentWork;
  readonly submissions: Submissions;
  readonly known: KnownConfigurations;
  readonly clock: Clock;
  /** Resolves once reference state has reached the head of the log. */
  readonly reach: () => Promise<void>;
  readonly log: Pick<Logger, 'warn'>;
}

const AT_ONCE = 8;
const TAKEN_TOGETHER = 200;
/** How often an unreachable provider is told of a cancellation. */
const CANCELLATION_TRIES = 5;

export const metaOfWork = (invoiceId: string, name: string): CommandMeta => ({
  correlationId: invoiceId,
  causationId: name,
  actor: { kind: 'system', id: name },
});

const askToCancel = async (
  { known }: Pick<FulfilmentWorkerDeps, 'known'>,
  { configurationId, orderId, reference }: OrderFulfilment,
): Promise<CancellationOutcome> => {
  const setUp = known.find(configurationId);
  if (!setUp || reference === null) return { kind: 'refused', message: 'there is no provider to tell' };
  const { provider, settings } = setUp;
  if (!provider.cancelOrder) return { kind: 'refused', message: 'the provider takes nothing back' };
  return provider.cancelOrder(settings.configuration, reference, derivedId('cancel-fulfilment', orderId));
};

const cancelling = (deps: FulfilmentWorkerDeps) => {
  const { streams, log } = deps;
  const tries = new Map<string, number>();
  return async ({ invoiceId, orderId }: OrderWork): Promise<boolean> => {
    const { state } = await streams.load(invoiceStream, invoiceId);
    const fulfilment = isKnown(state) ? fulfilmentOf(state, orderId) : undefined;
    if (!fulfilment || fulfilment.isCancellationOver) return false;
    const outcome = await askToCancel(deps, fulfilment);
    const tried = (tries.get(orderId) ?? 0) + 1;
    if (outcome.kind !== 'cancelled')
      log.warn({ orderId, outcome: outcome.kind }, 'a provider was not told of a cancellation');
    if (outcome.kind === 'failed' && tried < CANCELLATION_TRIES) {
      tries.set(orderId, tried);
      return false;
    }
    tries.delete(orderId);
    const command = { type: 'RecordCancellation', orderId, outcome } as const;
    await streams.send(invoiceStream, invoiceId, command, metaOfWork(invoiceId, 'fulfilment'));
    return true;
  };
};

/** True if it had an effect. */
const trying = (deps: FulfilmentWorkerDeps) => {
  const { submissions, log } = deps;
  const cancel = cancelling(deps);
  return async (order: OrderWork): Promise<boolean> => {
    const { orderId, invoiceId, stage } = order;
    try {
      if (stage === 'cancel') return await cancel(order);
      const meta = metaOfWork(invoiceId, 'fulfilment');
      return (await submissions.submit(invoiceId, orderId, 'PaymentCreated', meta)).isNews;
    } catch (err) {
      log.warn({ orderId, err }, 'an order could not be submitted to its provider yet');
      return false;
    }
  };
};

const retryJob = (run: () => Promise<number>): Job => ({
  name: 'fulfilment-retry',
  schedule: '* * * * *',
  worksOff: 'fulfilment-work',
  runOnce: async () => ({ tried: await run() }),
});

/** Submits waiting orders, retries failures and tells providers of cancellations. */
export const createFulfilmentWorker = (deps: FulfilmentWorkerDeps) => {
  const { work, clock, reach, log } = deps;
  let isReady = false;
  const tryOne = trying(deps);

  const runAll = async (): Promise<number> => {
    let done = 0;
    // While the log is being read, work done long ago looks due.
    if (!isReady) await reach();
    isReady = true;
    while (!runs.isStopped()) {
      const waiting = work.due(clock.now(), TAKEN_TOGETHER);
      if (waiting.length === 0) break;
      await inParallel(waiting, AT_ONCE, async (order) => {
        if (runs.isStopped()) return;
        if (await tryOne(order)) done++;
        // Also after success: this process may not have read it from the log yet.
        work.putOff(order.orderId, clock.now());
      });
    }
    return done;
  };

  const runs = createBackgroundRuns(runAll, (err) => log.warn({ err }, 'orders are submitted later'));
  work.watch(runs.wake);
  // Work left by an earlier process.
  runs.wake();

  return { run: runs.run, job: retryJob(runs.run), idle: runs.idle, stop: runs.stop };
};

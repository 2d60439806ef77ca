import type { Logger } from 'pino';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import type { Clock } from '#kernel/clock.ts';
import type { Job } from '#runtime/job-runner.ts';
import { workOff } from '#runtime/work-off.ts';
import { fulfilmentOf } from '../invoices/fulfilment/fulfilments.state.ts';
import { isKnown } from '../invoices/invoice.state.ts';
import type { FulfilmentWork, OrderWork } from './fulfilment-work.ts';
import { metaOfWork } from './fulfilment-worker.ts';
import type { KnownConfigurations } from './known-configuration.ts';
import { invoiceStream } from '../invoices/invoice.stream.ts';
import { isNewStatus, type ProviderUpdates } from './callbacks/provider-updates.ts';

export interface PollDeps extends Pick<CommandDeps, 'streams'> {
  readonly work: FulfilmentWork;
  readonly known: KnownConfigurations;
  readonly updates: ProviderUpdates;
  readonly clock: Clock;
  readonly intervalMinutes: number;
  readonly log: Pick<Logger, 'warn'>;
}

const AT_ONCE = 5;
/** The most orders per run, so that no provider is flooded. */
const AT_MOST = 500;
const MINUTE = 60_000;
const WATCHED_MS = 90 * 24 * 60 * MINUTE;

const polling =
  ({ streams, known, updates, clock }: PollDeps) =>
  async ({ invoiceId, orderId, dueAt: submittedAt }: OrderWork): Promise<void> => {
    const meta = metaOfWork(invoiceId, 'fulfilment-poll');
    if (clock.now() - submittedAt > WATCHED_MS) {
      await streams.send(invoiceStream, invoiceId, { type: 'EndWatch', orderId }, meta);
      return;
    }
    const { state } = await streams.load(invoiceStream, invoiceId);
    const fulfilment = isKnown(state) ? fulfilmentOf(state, orderId) : undefined;
    const setUp = fulfilment && known.find(fulfilment.configurationId);
    if (!fulfilment || fulfilment.reference === null || !setUp?.settings.isEnabled) return;
    const { configurationId, reference } = fulfilment;
    const outcome = await setUp.provider.pollOrder?.(setUp.settings.configuration, reference);
    if (outcome?.kind !== 'found') return;
    const statusUpdates = outcome.updates.statusUpdates.filter((said) => isNewStatus(fulfilment, said));
    const said = { ...outcome.updates, statusUpdates };
    await updates.apply(
      { configurationId, messageId: `poll ${statusUpdates[0]?.providerStatus ?? ''}` },
      said,
      meta,
    );
  };

/** Asks providers for the status of their orders, in case callbacks were lost. */
export const pollOrders = (deps: PollDeps): Job => {
  const { work, log, intervalMinutes } = deps;
  const poll = polling(deps);
  return {
    name: 'fulfilment-poll',
    schedule: '* * * * *',
    worksOff: 'fulfilment-work',
    runOnce: async (now) => {
      const due = work.toPoll(now, intervalMinutes * MINUTE, AT_MOST);
      const failed = await workOff(due, {
        atOnce: AT_ONCE,
        act: poll,
        onFailure: ({ orderId }, err) =>
          log.warn({ orderId, err }, 'what a fulfilment provider says was not recorded'),
      });
      return { polled: due.length, failed };
    },
  };
};

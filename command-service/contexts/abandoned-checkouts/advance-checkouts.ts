import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import type { AbandonedCheckoutEvent } from '#events/abandoned-checkout.events.ts';
import { isoInstant } from '#kernel/clock.ts';
import { presentationFor } from '#reference/presentation.ts';
import { abandonedCheckoutId } from '#values/abandoned-checkout.ts';
import { businessDay } from '#values/business-day.ts';
import { checkoutStream } from '../checkout/checkout.stream.ts';
import { invoiceStream } from '../invoices/invoice.stream.ts';
import { recoveryLimits, type SeenBasket } from './abandoned-checkout.commands.ts';
import { abandonedCheckouts } from './abandoned-checkout.stream.ts';
import type { CheckoutEntry } from './checkout-entry.ts';
import type { CheckoutsInProgress } from './checkouts-in-progress.ts';
import { standingOf } from './left-basket.ts';

export interface AdvancingDeps extends Pick<CommandDeps, 'streams' | 'settings' | 'reference' | 'clock'> {
  readonly inProgress: CheckoutsInProgress;
}

/** `later`: the basket is being bought, or has changed beyond what this process has read. Nothing: there is none. */
export type Advanced = { readonly events: readonly AbandonedCheckoutEvent[] } | 'later';

const nothing = { events: [] };

const metaOf = (recordId: string): CommandMeta => ({
  correlationId: recordId,
  causationId: 'detect-abandoned',
  actor: { kind: 'system', id: 'detect-abandoned' },
});

/**
 * The basket as its stream and that of its invoice have it; null while this process has not read all of one that is
 * open from the log: its shopper may have just come back. What was bought, or cleared, is so whatever else was read.
 */
const look = async (deps: AdvancingDeps, entry: CheckoutEntry): Promise<SeenBasket | null> => {
  const { streams, settings } = deps;
  const { basketId, soldInvoiceId, activityRevision, revision } = entry;
  const { state, revision: current } = await streams.load(checkoutStream, basketId);
  const invoiceId = soldInvoiceId ?? state.order?.invoiceId ?? null;
  const invoice = invoiceId === null ? null : (await streams.load(invoiceStream, invoiceId)).state;
  const displayOf = (currency: string) => presentationFor(deps, currency).display;
  const standing = standingOf({ state, invoice, invoiceId }, displayOf);
  if (standing.kind === 'open' && current !== revision) return null;
  return {
    ...{ basketId, activityRevision, revision },
    openedAt: state.opened?.at ?? isoInstant(entry.openedAt),
    openedDay: state.opened?.day ?? businessDay(entry.openedAt, settings().reportingTimeZone),
    lastActivityAt: isoInstant(entry.activityAt),
    standing,
  };
};

/**
 * Records what has become of a checkout. The record's stream decides: repeated after a kill, or in two processes, it
 * records nothing twice.
 */
export const createAdvance = (deps: AdvancingDeps) => {
  const { streams, settings, inProgress } = deps;
  const once = async (entry: CheckoutEntry, now: string): Promise<Advanced> => {
    const seen = await look(deps, entry);
    if (seen === null) return 'later';
    const recordId = abandonedCheckoutId(entry.basketId);
    const command = { type: 'AdvanceCheckout', seen, limits: recoveryLimits(settings()), now } as const;
    const { events } = await streams.send(abandonedCheckouts, recordId, command, metaOf(recordId));
    return seen.standing.kind === 'busy' ? 'later' : { events };
  };
  return async (basketId: string, now: number): Promise<Advanced> => {
    const entry = inProgress.find(basketId);
    if (!entry) return nothing;
    const advanced = await once(entry, isoInstant(now));
    const isAbandoned =
      advanced !== 'later' && advanced.events.some(({ type }) => type === 'CheckoutAbandoned');
    // A sale that was confirmed meanwhile has found no record to convert.
    if (isAbandoned) await once(entry, isoInstant(now));
    return advanced;
  };
};

export type AdvanceCheckouts = ReturnType<typeof createAdvance>;

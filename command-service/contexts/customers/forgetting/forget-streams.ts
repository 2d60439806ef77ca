import type { CommandMeta } from '#command/engine/command-engine.ts';
import { basketsOf, personalStreams, type PersonalStreams } from '#command/engine/personal-streams.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { isoInstant } from '#kernel/clock.ts';
import { abandonedCheckoutId } from '#values/abandoned-checkout.ts';
import { streamOf } from '#values/stream-name.ts';
import { abandonedCheckouts } from '../../abandoned-checkouts/abandoned-checkout.stream.ts';
import { basketEndStream } from '../../checkout/checkout.stream.ts';
import { invoiceStream } from '../../invoices/invoice.stream.ts';
import { customerStream } from '../customer.stream.ts';

type Deps = Pick<CommandDeps, 'streams' | 'store' | 'stateStore' | 'subjectKeys' | 'clock'>;

/** Streams that forget side by side: they share commits of the log. */
const AT_ONCE = 100;

const inTurns = async (ids: readonly string[], work: (id: string) => Promise<unknown>): Promise<void> => {
  for (let from = 0; from < ids.length; from += AT_ONCE)
    await Promise.all(ids.slice(from, from + AT_ONCE).map(work));
};

/** `isLast`: their states leave memory, too. */
const quietly = { isProcessStep: true, isLast: true, referenceMatters: 'never' } as const;

const forgetBaskets = ({ streams, clock }: Deps, basketIds: readonly string[], meta: CommandMeta) => {
  const at = isoInstant(clock.now());
  return inTurns(basketIds, (id) =>
    streams.send(basketEndStream, id, { type: 'ForgetBasket', at }, meta, quietly),
  );
};

const forgetAll = async (
  deps: Deps,
  { basketIds, recordIds, invoiceIds }: PersonalStreams & { readonly recordIds: readonly string[] },
  meta: CommandMeta,
): Promise<void> => {
  const { streams, clock } = deps;
  // Those that have named them since they were closed.
  await forgetBaskets(deps, basketIds, meta);
  const now = isoInstant(clock.now());
  // After their baskets: what is found abandoned from now on is found forgotten.
  await inTurns(recordIds, (id) =>
    streams.send(abandonedCheckouts, id, { type: 'ForgetCheckout', now }, meta, quietly),
  );
  await inTurns(invoiceIds, (id) =>
    streams.send(invoiceStream, id, { type: 'ForgetInvoice' }, meta, quietly),
  );
};

/**
 * Closes the baskets for good while everything can still be read: an order is placed of one before, with its buyer, or
 * never. Refused with `order-being-placed` while one is. Records of abandoned checkouts are told of sales that were
 * confirmed just before: forgotten, they would end unbought.
 */
export const closeBaskets = async (
  deps: Deps & Pick<CommandDeps, 'apis'>,
  customerId: string,
  meta: CommandMeta,
): Promise<void> => {
  const { store, subjectKeys: keys, apis } = deps;
  let basketIds: string[] = [];
  const closeThose = async (): Promise<void> => {
    await forgetBaskets(deps, basketIds, meta);
    await inTurns(basketIds, (id) => apis.abandonedCheckouts.review(id));
    basketIds = [];
  };
  for await (const { basketId } of basketsOf({ store, keys }, customerId)) {
    if (basketIds.push(basketId) >= AT_ONCE) await closeThose();
  }
  await closeThose();
};

/** Under a key that is gone, no one reads them any more. */
const dropSnapshots = async ({ stateStore }: Deps, streams: readonly string[]): Promise<void> =>
  stateStore.write(streams.map((remove) => ({ collection: 'snapshots', remove })));

/**
 * Each part is named before its streams say that they have forgotten: what follows the log has dropped the keys then.
 * After a kill all parts are gone through again, and those that were named are not named twice. Returns their number.
 */
export const forgetStreams = async (deps: Deps, customerId: string, meta: CommandMeta): Promise<number> => {
  const { streams, store, subjectKeys: keys } = deps;
  let part = 0;
  for await (const named of personalStreams({ store, keys }, customerId)) {
    part++;
    const recordIds = named.basketIds.map(abandonedCheckoutId);
    const note = { type: 'NoteForgotten', part, ...named, recordIds, isLast: false } as const;
    await streams.send(customerStream, customerId, note, meta, { isProcessStep: true });
    await forgetAll(deps, { ...named, recordIds }, meta);
    await dropSnapshots(deps, named.invoiceIds.map(streamOf.invoice));
  }
  await dropSnapshots(deps, [streamOf.customer(customerId), streamOf.savedMethods(customerId)]);
  return part;
};

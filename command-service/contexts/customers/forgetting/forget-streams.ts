import type { CommandMeta } from '#command/engine/command-engine.ts';
import { personalStreams, type PersonalStreams } from '#command/engine/personal-streams.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { isoInstant } from '#kernel/clock.ts';
import { abandonedCheckoutId } from '#values/abandoned-checkout.ts';
import { streamOf } from '#values/stream-name.ts';
import { basketEndStream } from '../../checkout/checkout.stream.ts';
import { invoiceStream } from '../../invoices/invoice.stream.ts';
import { customerStream } from '../customer.stream.ts';

type Deps = Pick<CommandDeps, 'streams' | 'store' | 'stateStore' | 'subjectKeys' | 'clock'>;

/** Streams that forget side by side. */
const AT_ONCE = 25;

const inTurns = async (ids: readonly string[], work: (id: string) => Promise<unknown>): Promise<void> => {
  for (let from = 0; from < ids.length; from += AT_ONCE)
    await Promise.all(ids.slice(from, from + AT_ONCE).map(work));
};

/** `isLast`: their states leave memory, too. */
const quietly = { isProcessStep: true, isLast: true, referenceMatters: 'never' } as const;

const forgetAll = async (
  { streams, clock }: Deps,
  { basketIds, invoiceIds }: PersonalStreams,
  meta: CommandMeta,
): Promise<void> => {
  const at = isoInstant(clock.now());
  await inTurns(basketIds, (id) =>
    streams.send(basketEndStream, id, { type: 'ForgetBasket', at }, meta, quietly),
  );
  await inTurns(invoiceIds, (id) =>
    streams.send(invoiceStream, id, { type: 'ForgetInvoice' }, meta, quietly),
  );
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
    await forgetAll(deps, named, meta);
    await dropSnapshots(deps, named.invoiceIds.map(streamOf.invoice));
  }
  await dropSnapshots(deps, [streamOf.customer(customerId), streamOf.savedMethods(customerId)]);
  return part;
};

import type { Recorded } from '#kernel/event.ts';
import { streamOf } from '#values/stream-name.ts';
import type { Shop } from '../../tillroll.ts';

/** A shop of this process, as `TestShop` is one. */
interface ShopHere {
  readonly shop: Pick<Shop, 'runtime'>;
}

/** Everything that has happened in a test shop, in the order of the log. */
export const eventsIn = async ({ shop }: ShopHere): Promise<readonly Recorded[]> => {
  const { store, codec } = shop.runtime;
  const events: Recorded[] = [];
  for (;;) {
    const page = await store.readAll(events.at(-1)?.position ?? 0);
    if (page.length === 0) return events;
    events.push(...(await codec.decodeAll(page)));
  }
};

/** The types of what has happened to an invoice. */
export const eventTypesOf = async (shop: ShopHere, invoiceId: string): Promise<readonly string[]> =>
  (await eventsIn(shop))
    .filter(({ stream }) => stream === streamOf.invoice(invoiceId))
    .map(({ type }) => type);

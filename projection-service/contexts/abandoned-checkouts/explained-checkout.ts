import type { Recorded } from '#kernel/event.ts';
import { isoInstant } from '#kernel/clock.ts';
import { abandonedCheckoutId } from '#values/abandoned-checkout.ts';
import { idOf, streamOf } from '#values/stream-name.ts';
import { explainedView, type EventSources } from '../../engine/why/explained-view.ts';
import type { AbandonedCheckoutDocument } from './abandoned-checkout.document.ts';
import { abandonedCheckoutsProjection } from './abandoned-checkouts.projection.ts';

const openings: ReadonlySet<string> = new Set(['CheckoutEmailCaptured', 'CheckoutAddressesChanged']);

/** A checkout is opened at the time that its event says, and recorded within this. */
const RECORDED_WITHIN_MILLISECONDS = 60_000;

const basketIn = ({ data }: Recorded): string | null =>
  (data as { readonly basketId?: string }).basketId ?? null;

/** Of a basket that was cleared, the document does not tell: its record does, or the events of when it was opened. */
const basketOf = async (
  key: string,
  document: AbandonedCheckoutDocument | null,
  { history, recordedBetween }: EventSources,
): Promise<string | null> => {
  const known = document?.basketId ?? null;
  if (known !== null) return known;
  for await (const event of history(streamOf.abandonedCheckout(key))) return basketIn(event);
  if (!document) return null;
  const opened = Date.parse(document.dateCreated);
  const [from, before] = [opened - RECORDED_WITHIN_MILLISECONDS, opened + RECORDED_WITHIN_MILLISECONDS];
  for await (const { stream } of recordedBetween(isoInstant(from), isoInstant(before), openings))
    if (abandonedCheckoutId(idOf(stream)) === key) return idOf(stream);
  return null;
};

/** A checkout is made of its basket's stream and, once it was left behind, of its own. */
export const explainedCheckout = explainedView<AbandonedCheckoutDocument>({
  view: abandonedCheckoutsProjection,
  mainFigure: 'total',
  eventsOf: async ({ key, document }, sources) => {
    const basketId = await basketOf(key, document, sources);
    const customerId = document?.customerId ?? null;
    return {
      streams: [
        streamOf.abandonedCheckout(key),
        ...(basketId === null ? [] : [streamOf.basket(basketId)]),
        ...(customerId === null ? [] : [streamOf.customer(customerId)]),
      ],
    };
  },
});

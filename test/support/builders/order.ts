import type { CheckoutEvent } from '#events/checkout.events.ts';
import { idNamed } from './basket.ts';
import { twoMugs } from './invoice.ts';

type Placement = Extract<CheckoutEvent, { readonly type: 'OrderPlacementStarted' }>['data'];

/** An order of two mugs with the code TEN that is being placed; it replaces no older invoice. */
export const placementOf = (changes: Partial<Placement> = {}): Placement => ({
  placementId: idNamed('placement'),
  invoiceId: idNamed('invoice'),
  supersededInvoiceId: null,
  invoiceNumbersRevision: -1,
  holds: [{ productId: idNamed('mug'), warehouseId: idNamed('east'), quantity: 2 }],
  discountClaims: [{ discountId: idNamed('TEN'), code: 'TEN', amount: 200 }],
  discountReleases: [],
  content: twoMugs(),
  ...changes,
});

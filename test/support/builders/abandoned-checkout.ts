import type {
  AdvanceCheckout,
  SeenBasket,
} from '#command/contexts/abandoned-checkouts/abandoned-checkout.commands.ts';
import { recoveryLimits } from '#command/contexts/abandoned-checkouts/abandoned-checkout.commands.ts';
import { isoInstant } from '#kernel/clock.ts';
import { defaultStoreSettings, type StoreSettings } from '#values/store-settings.ts';
import { idNamed } from './basket.ts';

const HOUR = 3_600_000;
const noon = Date.parse('2030-06-01T12:00:00.000Z');

/** The shopper leaves at noon: so many hours later. */
export const hoursLater = (hours: number): string => isoInstant(noon + hours * HOUR);

const line = {
  lineId: idNamed('line mug'),
  productId: idNamed('mug'),
  productRootId: idNamed('root mug'),
  sku: 'mug',
  name: 'Mug, blue',
  productRootName: 'Mug',
  selectedOptions: [],
  imageUrl: null,
  quantity: 2,
  unitPrice: 1000,
  lineTotal: 2000,
};

export const leftMugs = {
  customerId: idNamed('Ada'),
  email: 'ada@example.com',
  customerName: 'Ada Lovelace',
  billingAddress: null,
  shippingAddress: null,
  figures: {
    ...{ currency: 'GBP', total: 2400, storeCurrency: 'GBP', totalInStoreCurrency: 2400, rate: '1' },
    lineCount: 1,
  },
  lines: [line],
};

/** What is in the basket later on, under another name. */
export const threeMugs = {
  customerId: idNamed('Ada'),
  email: 'ada.king@example.com',
  customerName: 'Ada King',
  figures: { ...leftMugs.figures, total: 3600, totalInStoreCurrency: 3600 },
};

/** Three mugs were bought after all. */
export const bought = {
  standing: { kind: 'bought', invoiceId: idNamed('invoice'), sold: threeMugs },
} as const;

/** Two mugs that nobody has touched since noon, at revision 3. */
export const seenAtNoon: SeenBasket = {
  basketId: idNamed('basket'),
  openedAt: hoursLater(-1),
  openedDay: '2030-06-01',
  lastActivityAt: hoursLater(0),
  activityRevision: 3,
  revision: 3,
  standing: { kind: 'open', left: leftMugs },
};

/** What a pass of the job asks, so many hours after noon. */
export const passAt = (
  hours: number,
  seen: Partial<SeenBasket> = {},
  settings: Partial<StoreSettings> = {},
): AdvanceCheckout => ({
  type: 'AdvanceCheckout',
  seen: { ...seenAtNoon, ...seen },
  limits: recoveryLimits({ ...defaultStoreSettings, ...settings }),
  now: hoursLater(hours),
});

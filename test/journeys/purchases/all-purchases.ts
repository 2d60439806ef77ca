import { accountPurchases } from './account-purchases.ts';
import { callbackPurchases } from './callback-purchases.ts';
import { manualOrderPurchases } from './manual-order-purchases.ts';
import { discountPurchases } from './discount-purchases.ts';
import { downloadPurchases } from './download-purchases.ts';
import { fulfilmentPurchases } from './fulfilment-purchases.ts';
import { leftPurchases } from './left-purchases.ts';
import { memberPurchases } from './member-purchases.ts';
import { offerPurchases } from './offer-purchases.ts';
import { purchases } from './purchases.ts';
import { refundPurchases } from './refund-purchases.ts';
import { returnPurchases } from './return-purchases.ts';
import { sessionPurchases } from './session-purchases.ts';
import { upsellPurchases } from './upsell-purchases.ts';
import type { Purchase } from './walk.ts';

/** What `npm run journeys` walks through, in this order. */
export const allPurchases: readonly Purchase[] = [
  ...purchases,
  ...discountPurchases,
  ...memberPurchases,
  ...accountPurchases,
  ...callbackPurchases,
  ...sessionPurchases,
  ...refundPurchases,
  ...returnPurchases,
  ...manualOrderPurchases,
  ...upsellPurchases,
  ...offerPurchases,
  ...fulfilmentPurchases,
  ...downloadPurchases,
  ...leftPurchases,
];

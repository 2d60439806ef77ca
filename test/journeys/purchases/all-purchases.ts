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

const kinds: readonly (readonly Purchase[])[] = [
  purchases,
  discountPurchases,
  memberPurchases,
  accountPurchases,
  callbackPurchases,
  sessionPurchases,
  refundPurchases,
  returnPurchases,
  manualOrderPurchases,
  upsellPurchases,
  offerPurchases,
  fulfilmentPurchases,
  downloadPurchases,
  leftPurchases,
];

/** What `npm run journeys` walks through, in this order. */
export const allPurchases: readonly Purchase[] = kinds.flat();

/** For engines whose answers are held to their ports by other tests, and where each request is dear. */
export const oneOfEachKind: readonly Purchase[] = kinds.flatMap((kind) => kind.slice(0, 1));

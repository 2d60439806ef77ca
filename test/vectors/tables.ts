import { ageing, credit, reminders } from './account-terms.vectors.ts';
import { crossRates, shownAmounts } from './currency.vectors.ts';
import { buyXGetY, discountFigures, rounding } from './discounts.vectors.ts';
import { editPreviews, editsAbroad } from './invoice-edits.vectors.ts';
import { manualOrders } from './manual-orders.vectors.ts';
import { orderTransitions, paymentStatuses } from './payments.vectors.ts';
import { postPurchaseDeltas } from './post-purchase.vectors.ts';
import { regions } from './regions.vectors.ts';
import { baseCosts, postcodeRules, weightTiers } from './shipping-costs.vectors.ts';
import { ordersByShipments, shipmentTransitions } from './shipments.vectors.ts';
import { shippingTax } from './shipping-tax.vectors.ts';
import { statusMessages } from './status-messages.vectors.ts';
import { upsellPrices, upsellSteps } from './upsells.vectors.ts';
import type { VectorTable } from './vector.ts';
import { warehouses } from './warehouses.vectors.ts';

/** Every worked case, in the order in which a basket meets the rules. */
export const tables: readonly VectorTable[] = [
  regions,
  warehouses,
  statusMessages,
  baseCosts,
  postcodeRules,
  weightTiers,
  buyXGetY,
  discountFigures,
  rounding,
  shippingTax,
  upsellSteps,
  upsellPrices,
  manualOrders,
  editPreviews,
  postPurchaseDeltas,
  editsAbroad,
  crossRates,
  shownAmounts,
  paymentStatuses,
  orderTransitions,
  shipmentTransitions,
  ordersByShipments,
  credit,
  ageing,
  reminders,
];

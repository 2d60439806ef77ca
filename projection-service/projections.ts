import type { AnyProjection } from '#kernel/projection.ts';
import { abandonedCheckoutDaysProjection } from './contexts/abandoned-checkouts/abandoned-checkout-days.projection.ts';
import { abandonedCheckoutsProjection } from './contexts/abandoned-checkouts/abandoned-checkouts.projection.ts';
import { agentCartsProjection } from './contexts/agent-protocol/carts/agent-carts.projection.ts';
import { agentOrdersProjection } from './contexts/agent-protocol/orders/agent-orders.projection.ts';
import { agentSessionsProjection } from './contexts/agent-protocol/sessions/agent-sessions.projection.ts';
import { basketProjection } from './contexts/basket/basket.projection.ts';
import { productListProjection } from './contexts/catalogue/product-list.projection.ts';
import { productLivesProjection } from './contexts/catalogue/product-lives.projection.ts';
import { stockLevelsProjection } from './contexts/catalogue/stock-levels.projection.ts';
import { accountSalesProjection } from './contexts/customers/account-sales.projection.ts';
import { customerAccountsProjection } from './contexts/customers/customer-accounts.projection.ts';
import { customerListProjection } from './contexts/customers/customer-list.projection.ts';
import { customerTagsProjection } from './contexts/customers/customer-tags.projection.ts';
import { receivablesProjection } from './contexts/customers/receivables.projection.ts';
import { segmentMembersProjection } from './contexts/customers/segment-members.projection.ts';
import { discountUsesProjection } from './contexts/discounts/discount-uses.projection.ts';
import { downloadsProjection } from './contexts/downloads/downloads.projection.ts';
import { orderListProjection } from './contexts/orders/order-list.projection.ts';
import { orderNotesProjection } from './contexts/orders/order-notes.projection.ts';
import { paymentsProjection } from './contexts/payments/payments.projection.ts';
import { salesJournalProjection } from './contexts/reporting/sales-journal.projection.ts';
import { soldByMemberProjection } from './contexts/reporting/sold-by-member.projection.ts';
import { upsellSalesProjection } from './contexts/upsells/upsell-sales.projection.ts';
import { entityViews } from './engine/entity-view.ts';

/**
 * The read models of all modules, and of the resources, in the same order. A thread that fills them takes them from
 * here: the modules bring all routes along, for 45 MB that it has no use for.
 */
export const projections: readonly AnyProjection[] = [
  abandonedCheckoutsProjection,
  abandonedCheckoutDaysProjection,
  agentOrdersProjection,
  agentSessionsProjection,
  agentCartsProjection,
  basketProjection,
  productListProjection,
  productLivesProjection,
  stockLevelsProjection,
  customerListProjection,
  customerTagsProjection,
  segmentMembersProjection,
  customerAccountsProjection,
  accountSalesProjection,
  receivablesProjection,
  discountUsesProjection,
  downloadsProjection,
  orderListProjection,
  orderNotesProjection,
  paymentsProjection,
  salesJournalProjection,
  soldByMemberProjection,
  upsellSalesProjection,
  ...entityViews,
];

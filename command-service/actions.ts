import type { AbandonedCheckoutActions } from './contexts/abandoned-checkouts/abandoned-checkout.actions.ts';
import type { AgentCheckouts } from './contexts/agent-protocol/agent-checkouts.commands.ts';
import type { SessionActions } from './contexts/agent-protocol/sessions/agent-session.actions.ts';
import type { BasketActions } from './contexts/basket/basket.actions.ts';
import type { CheckoutActions } from './contexts/checkout/checkout.actions.ts';
import type { StockActions } from './contexts/inventory/stock.actions.ts';
import type { OrderActions } from './contexts/orders/manual/manual-orders.actions.ts';
import type { PaymentActions } from './contexts/payments/payments.actions.ts';
import type { Refunds } from './contexts/payments/refunds/refunds.actions.ts';
import type { UpsellActions } from './contexts/upsells/upsell-performance/upsell-events.commands.ts';
import type { SubscriptionActions } from './contexts/webhooks/subscription.actions.ts';
import type { ContextApis } from './context-apis.ts';

/** What can be done in each context by those who call without a request. Other contexts see a part of it. */
export interface Actions extends ContextApis {
  readonly abandonedCheckouts: AbandonedCheckoutActions;
  readonly agentCheckouts: AgentCheckouts;
  readonly agentSessions: SessionActions;
  readonly basket: BasketActions;
  readonly checkout: CheckoutActions & ContextApis['checkout'];
  readonly inventory: StockActions;
  readonly orders: ContextApis['orders'] & OrderActions;
  readonly payments: PaymentActions & Refunds & ContextApis['payments'];
  readonly upsells: ContextApis['upsells'] & UpsellActions;
  readonly webhooks: SubscriptionActions;
}

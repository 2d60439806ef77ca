import { abandonedCheckouts } from './contexts/abandoned-checkouts/abandoned-checkouts.module.ts';
import { addressLookup } from './contexts/address-lookup/address-lookup.module.ts';
import { agentProtocol } from './contexts/agent-protocol/agent-protocol.module.ts';
import { basket } from './contexts/basket/basket.module.ts';
import { catalogue } from './contexts/catalogue/catalogue.module.ts';
import { checkout } from './contexts/checkout/checkout.module.ts';
import { currency } from './contexts/currency/currency.module.ts';
import { customers } from './contexts/customers/customers.module.ts';
import { discounts } from './contexts/discounts/discounts.module.ts';
import { downloads } from './contexts/downloads/downloads.module.ts';
import { fulfilment } from './contexts/fulfilment/fulfilment.module.ts';
import { healthChecks } from './contexts/health-checks/health-checks.module.ts';
import { identity } from './contexts/identity/identity.module.ts';
import { identityLinking } from './contexts/identity-linking/identity-linking.module.ts';
import { inventory } from './contexts/inventory/inventory.module.ts';
import { mails } from './contexts/mails/mails.module.ts';
import { members } from './contexts/members/members.module.ts';
import { notifications } from './contexts/notifications/notifications.module.ts';
import { orders } from './contexts/orders/orders.module.ts';
import { paymentMethods } from './contexts/payment-methods/payment-methods.module.ts';
import { payments } from './contexts/payments/payments.module.ts';
import { settings } from './contexts/settings/settings.module.ts';
import { shipping } from './contexts/shipping/shipping.module.ts';
import { store } from './contexts/store/store.module.ts';
import { tax } from './contexts/tax/tax.module.ts';
import { upsells } from './contexts/upsells/upsells.module.ts';
import { webhooks } from './contexts/webhooks/webhooks.module.ts';
import type { CommandModule } from './engine/module.ts';

/** The contexts of the command service by the alphabet, but for the last: its key follows an open store. */
export const modules: readonly CommandModule[] = [
  abandonedCheckouts,
  addressLookup,
  agentProtocol,
  basket,
  catalogue,
  checkout,
  currency,
  customers,
  discounts,
  downloads,
  fulfilment,
  healthChecks,
  identity,
  identityLinking,
  inventory,
  mails,
  members,
  notifications,
  orders,
  paymentMethods,
  payments,
  settings,
  shipping,
  store,
  tax,
  upsells,
  webhooks,
];

import { abandonedCheckouts } from './contexts/abandoned-checkouts/abandoned-checkouts.module.ts';
import { agentProtocol } from './contexts/agent-protocol/agent-protocol.module.ts';
import { audit } from './contexts/audit/audit.module.ts';
import { basket } from './contexts/basket/basket.module.ts';
import { catalogue } from './contexts/catalogue/catalogue.module.ts';
import { currency } from './contexts/currency/currency.module.ts';
import { customers } from './contexts/customers/customers.module.ts';
import { discounts } from './contexts/discounts/discounts.module.ts';
import { downloads } from './contexts/downloads/downloads.module.ts';
import { fulfilment } from './contexts/fulfilment/fulfilment.module.ts';
import { orders } from './contexts/orders/orders.module.ts';
import { payments } from './contexts/payments/payments.module.ts';
import { projections } from './contexts/projections/projections.module.ts';
import { reporting } from './contexts/reporting/reporting.module.ts';
import { shipping } from './contexts/shipping/shipping.module.ts';
import { upsells } from './contexts/upsells/upsells.module.ts';
import type { ProjectionModule } from './engine/module.ts';

/** The contexts of the projection service, in the order of the alphabet. */
export const modules: readonly ProjectionModule[] = [
  abandonedCheckouts,
  agentProtocol,
  audit,
  basket,
  catalogue,
  currency,
  customers,
  discounts,
  downloads,
  fulfilment,
  orders,
  payments,
  projections,
  reporting,
  shipping,
  upsells,
];

/** What reports are answered from, where nothing else is asked. */
export const reportModules: readonly ProjectionModule[] = [reporting];

/** What explains a view: its own module, what keeps the journals of when its events were recorded, and the question. */
export const modulesThatExplain = (name: string): readonly ProjectionModule[] => {
  const explaining = modules.filter(({ explains = [] }) => explains.some(({ view }) => view.name === name));
  if (explaining.length > 0) return [...new Set([audit, reporting, ...explaining])];
  const known = modules.flatMap(({ explains = [] }) => explains.map(({ view }) => view.name));
  throw new Error(`There is no view "${name}" that can be explained; these can: ${known.join(', ')}.`);
};

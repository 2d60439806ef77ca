import { isSameJson } from '#kernel/same-json.ts';
import type { Address } from '#values/address.ts';
import type { Minor } from '#values/money.ts';
import type { KnownInvoice } from '../../invoices/invoice.state.ts';
import type { SeenSession } from '../sessions/seen-session.ts';
import { shippingAddressFor, type ExpectingDeps } from '../sessions/session-buyer.ts';
import { unitsWanted } from '../sessions/session-lines.ts';

/** What was last shown to the agent: no more is charged, nothing else is sold, and it goes nowhere else. */
export interface AgreedOrder {
  /** By product. */
  readonly units: Readonly<Record<string, number>>;
  /** In the currency of the store. */
  readonly total: Minor;
  /** Null: no place was selected, so that nothing is sent. */
  readonly shippingAddress: Address | null;
  /** The keys of what was chosen to send it by. */
  readonly shippingOptions: readonly string[];
}

const distinct = (keys: Iterable<string>): readonly string[] => [...new Set(keys)].sort();

/** As the session says it: another request may have left the basket behind it. */
export const agreedOrder = (deps: ExpectingDeps, { session, basket: seen }: SeenSession): AgreedOrder => {
  const { basket, handOver } = seen.state;
  const isShoppers = basket === null || handOver !== null;
  return {
    units: Object.fromEntries(unitsWanted(session.lines)),
    total: basket?.totals.total ?? 0,
    shippingAddress: isShoppers
      ? (basket?.shippingAddress ?? null)
      : shippingAddressFor(deps, session, basket),
    shippingOptions: distinct(Object.values(seen.shipping?.selections ?? {})),
  };
};

const unitsOf = ({ orders }: KnownInvoice['content']): Readonly<Record<string, number>> =>
  Object.fromEntries(
    unitsWanted(
      orders.flatMap(({ lines }) =>
        lines.flatMap(({ productId, quantity }) => (productId === null ? [] : [{ productId, quantity }])),
      ),
    ),
  );

/** Another request of the agent may have changed the basket in the very moment. */
export const isAsAgreed = (
  { content, shippingAddress }: Pick<KnownInvoice, 'content' | 'shippingAddress'>,
  agreed: AgreedOrder,
): boolean =>
  content.amountsInStoreCurrency.total <= agreed.total &&
  isSameJson(unitsOf(content), agreed.units) &&
  isSameJson(
    distinct(content.orders.flatMap(({ shippingOptionKey }) => shippingOptionKey ?? [])),
    agreed.shippingOptions,
  ) &&
  (agreed.shippingAddress === null || isSameJson(shippingAddress, agreed.shippingAddress));

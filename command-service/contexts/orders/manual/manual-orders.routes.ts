import { metaOf } from '#command/engine/request-meta.ts';
import type { CurrencyOf } from '#fields/body-fields.ts';
import {
  manualOrderResponse,
  manualOrderBody,
  type ManualOrderBody,
} from '#contracts/order-desk.contract.ts';
import { admin, ok, route, type Route } from '#http/route.ts';
import { isGuid } from '#kernel/ids.ts';
import type { Reference } from '#reference/reference.ts';
import { noLine, unknownNames, unknownOfProduct, type GivenItem } from './manual-order-lines.ts';
import type { GivenManualOrder, ManualOrders } from './manual-orders.actions.ts';

const itemOf = ({
  isPhysicalProduct: isPhysical,
  ...item
}: ManualOrderBody['customItems'][number]): GivenItem => ({ ...item, isPhysical });

const orderOf = ({
  billingAddress,
  shippingAddress,
  customItems,
  lineItems: products,
}: ManualOrderBody): GivenManualOrder => ({
  billingAddress,
  shippingAddress,
  products,
  items: customItems.map(itemOf),
});

/** Reads a field that names something; values that are no GUIDs are reported elsewhere. */
const idsOf = (given: unknown) => (field: string) => {
  const id = ((given ?? {}) as Readonly<Record<string, unknown>>)[field];
  return typeof id === 'string' && isGuid(id) ? id.toLowerCase() : null;
};

const listIn = (body: unknown, field: string): readonly unknown[] => {
  const list = ((body ?? {}) as Readonly<Record<string, unknown>>)[field] ?? [];
  return Array.isArray(list) ? list : [list];
};

/** Unknown references in the lines of a refused body, so that one refusal reports everything. */
const namesNobodyKnows = (body: unknown, reference: Reference): string[] => {
  const [products, items] = [listIn(body, 'lineItems'), listIn(body, 'customItems')];
  const placeIn = (id: ReturnType<typeof idsOf>) => ({
    warehouseId: id('warehouseId'),
    shippingOptionId: id('shippingOptionId'),
  });
  return [
    ...products.flatMap((product, index) => {
      const id = idsOf(product);
      const named = { productId: id('productId'), ...placeIn(id) };
      return unknownOfProduct(named, reference).map((problem) => `lineItems.${index}.${problem}`);
    }),
    ...items.flatMap((item, index) => {
      const id = idsOf(item);
      const named = { taxGroupId: id('taxGroupId'), ...placeIn(id) };
      return unknownNames(named, reference).map((problem) => `customItems.${index}.${problem}`);
    }),
    ...(products.length + items.length === 0 ? [noLine] : []),
  ];
};

/** Selling without a basket (docs/rules/manual-orders.md). */
export const manualOrderRoutes = (
  orders: ManualOrders,
  reference: Reference,
  currency: CurrencyOf,
): readonly Route[] => [
  route({
    base: 'management',
    service: 'command',
    caller: admin,
    file: import.meta.url,
    method: 'POST',
    path: '/orders/manual',
    summary: 'Sell products and what staff write by hand: an invoice whose sale is confirmed at once',
    schemas: { body: manualOrderBody(currency) },
    ruleProblems: ({ body }) => Promise.resolve(namesNobodyKnows(body, reference)),
    response: manualOrderResponse,
    errors: ['invalid-request', 'out-of-stock', 'amount-too-large', 'order-being-placed', 'cancelled'],
    isIdempotent: true,
    handle: async (request) => {
      const { position, ...made } = await orders.create(orderOf(request.body), metaOf(request));
      return ok({ success: true, isSuccessful: true, ...made, errorMessage: null }, { position });
    },
  }),
];

import { metaOf } from '#command/engine/request-meta.ts';
import type { CurrencyOf } from '#contracts/management.contract.ts';
import { manualOrderAnswer, manualOrderBody, type ManualOrderBody } from '#contracts/order-desk.contract.ts';
import { admin, ok, route, type Route } from '#http/route.ts';
import { isGuid } from '#kernel/ids.ts';
import type { Reference } from '#reference/reference.ts';
import {
  unknownNames,
  type GivenItem,
  type GivenManualOrder,
  type ManualOrders,
} from './manual-orders.actions.ts';

const itemOf = ({
  isPhysicalProduct: isPhysical,
  ...item
}: ManualOrderBody['customItems'][number]): GivenItem => ({ ...item, isPhysical });

const orderOf = ({ billingAddress, shippingAddress, customItems }: ManualOrderBody): GivenManualOrder => ({
  billingAddress,
  shippingAddress,
  items: customItems.map(itemOf),
});

const names = ['taxGroupId', 'warehouseId', 'shippingOptionId'] as const;

/** What the items of a refused body name and the shop does not have: one refusal tells everything. */
const namesNobodyKnows = (body: unknown, reference: Pick<Reference, 'tax' | 'shipping'>): string[] => {
  const { customItems } = (body ?? {}) as { readonly customItems?: unknown };
  return (Array.isArray(customItems) ? (customItems as unknown[]) : []).flatMap((item, index) => {
    const given = (item ?? {}) as Readonly<Record<string, unknown>>;
    const [taxGroupId, warehouseId, shippingOptionId] = names.map((field) =>
      typeof given[field] === 'string' && isGuid(given[field]) ? given[field].toLowerCase() : null,
    );
    const named = {
      taxGroupId: taxGroupId ?? null,
      warehouseId: warehouseId ?? null,
      shippingOptionId: shippingOptionId ?? null,
    };
    return unknownNames(named, reference).map((problem) => `customItems.${index}.${problem}`);
  });
};

/** Selling without a basket (docs/rules/manual-orders.md). */
export const manualOrderRoutes = (
  orders: ManualOrders,
  reference: Pick<Reference, 'tax' | 'shipping'>,
  currency: CurrencyOf,
): readonly Route[] => [
  route({
    base: 'management',
    service: 'command',
    caller: admin,
    file: import.meta.url,
    method: 'POST',
    path: '/orders/manual',
    summary: 'Sell what staff write by hand: an invoice whose sale is confirmed at once',
    schemas: { body: manualOrderBody(currency) },
    ruleProblems: ({ body }) => Promise.resolve(namesNobodyKnows(body, reference)),
    answer: manualOrderAnswer,
    errors: ['invalid-request', 'amount-too-large', 'cancelled'],
    isIdempotent: true,
    handle: async (request) => {
      const { position, ...made } = await orders.create(orderOf(request.body), metaOf(request));
      return ok({ success: true, isSuccessful: true, ...made, errorMessage: null }, { position });
    },
  }),
];

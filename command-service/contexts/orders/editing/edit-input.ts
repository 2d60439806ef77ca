import type { InvoiceEdit, HandDiscount } from '#command/pricing/edits/invoice-edit.ts';
import {
  invoiceEditBody,
  type ApplyOneDiscountBody,
  type InvoiceEditBody,
} from '#contracts/invoice-edit.contract.ts';
import { defined } from '#kernel/defined.ts';
import { refuseProblems } from '#kernel/entity.ts';
import { isAmountIn, isWithinLimit, toMinor, type Minor } from '#values/money.ts';

type GivenDiscount = InvoiceEditBody['orderDiscounts'][number];

/** Reads amounts in the invoice's currency, and collects what is none. */
const createReader = (currency: string) => {
  const problems: string[] = [];
  const amount = (field: string, value: number): Minor => {
    if (isWithinLimit(value, currency) && isAmountIn(value, currency)) return toMinor(value, currency);
    problems.push(`${field}: must be an amount with the decimals of ${currency}`);
    return 0;
  };
  return {
    problems,
    amount,
    discount: (field: string, given: GivenDiscount): HandDiscount => {
      const { type, value, displayName, reason, isVisibleToCustomer } = given;
      const said = { name: displayName, reason, isVisibleToCustomer };
      switch (type) {
        case 'Free':
          return { type, value: 0, ...said };
        case 'FixedAmount': {
          if (value <= 0) problems.push(`${field}.value: must be more than 0`);
          return { type, value: amount(`${field}.value`, value), ...said };
        }
        case 'Percentage': {
          if (value <= 0 || value > 100 || !hasFourDecimals(value))
            problems.push(`${field}.value: must be more than 0 and at most 100, with at most 4 decimals`);
          return { type, value, ...said };
        }
      }
    },
  };
};

const hasFourDecimals = (value: number): boolean =>
  Math.abs(value * 10_000 - Math.round(value * 10_000)) < 1e-6;

type Reader = ReturnType<typeof createReader>;

const itemOf = (
  { amount, discount: _ }: Reader,
  item: InvoiceEditBody['customItems'][number],
  index: number,
): InvoiceEdit['customItems'][number] => {
  const field = `customItems.${index}`;
  const { name, sku, quantity, taxGroupId, isTaxable, isPhysicalProduct, warehouseId, shippingOptionId } =
    item;
  return {
    ...{ name, sku, quantity, taxGroupId, isTaxable, warehouseId, shippingOptionId },
    isPhysical: isPhysicalProduct,
    amount: amount(`${field}.amount`, item.amount),
    cost: amount(`${field}.cost`, item.cost),
    addons: item.addons.map(({ priceAdjustment, costAdjustment, ...addon }, at) => ({
      ...addon,
      priceAdjustment: amount(`${field}.addons.${at}.priceAdjustment`, priceAdjustment),
      costAdjustment: amount(`${field}.addons.${at}.costAdjustment`, costAdjustment),
    })),
  };
};

/** Reads a requested edit in minor units of the invoice's currency. Errors: Rejection `invalid-request`. */
export const editOf = (body: InvoiceEditBody, currency: string): InvoiceEdit => {
  const reader = createReader(currency);
  const edit = {
    lineItems: body.lineItems.map(({ id, quantity, shouldReturnToStock, discount }, index) => ({
      id,
      shouldReturnToStock,
      ...defined({ quantity }),
      ...(discount !== undefined && {
        discount: discount && reader.discount(`lineItems.${index}.discount`, discount),
      }),
    })),
    removedLineItems: body.removedLineItems,
    removedOrderDiscounts: body.removedOrderDiscounts,
    customItems: body.customItems.map((item, index) => itemOf(reader, item, index)),
    productsToAdd: body.productsToAdd,
    orderDiscounts: body.orderDiscounts.map((given, index) =>
      reader.discount(`orderDiscounts.${index}`, given),
    ),
    orderDiscountCodes: [...new Set(body.orderDiscountCodes)],
    orderShippingUpdates: body.orderShippingUpdates.map(({ orderId, shippingCost }, index) => ({
      orderId,
      shippingCost: reader.amount(`orderShippingUpdates.${index}.shippingCost`, shippingCost),
    })),
    shouldRemoveTax: body.shouldRemoveTax,
  };
  refuseProblems(reader.problems);
  return edit;
};

/** One manual discount, as an edit. */
export const editWithDiscount = ({
  version,
  lineItemId,
  ...discount
}: ApplyOneDiscountBody): InvoiceEditBody =>
  invoiceEditBody.parse({
    version,
    ...(lineItemId === null ? { orderDiscounts: [discount] } : { lineItems: [{ id: lineItemId, discount }] }),
  });

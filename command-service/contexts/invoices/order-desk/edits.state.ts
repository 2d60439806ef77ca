import type { InvoiceContent, OrderStatus } from '#events/invoice.fields.ts';
import { isSameJson } from '#kernel/same-json.ts';
import type { InvoiceBalance } from '#values/invoice-balance.ts';
import type { Part } from '../invoice-part.state.ts';

export interface Edits {
  /** How many edits there were: the version that the next edit must name. */
  readonly edits: number;
  /** The latest ones, to recognise a repeat. */
  readonly editIds: readonly string[];
  /** The content before the first edit; null while there is none. */
  readonly madeAs: InvoiceContent | null;
}

export const unedited: Edits = { edits: 0, editIds: [], madeAs: null };

interface Editable extends Edits {
  readonly content: InvoiceContent;
  readonly balance: InvoiceBalance;
  readonly returns: number;
  readonly orderStatuses: Readonly<Record<string, OrderStatus>>;
}

const REMEMBERED = 20;

export const onEditEvents = {
  InvoiceEdited: (invoice, { data }) => {
    const { editId, version, content, balance, difference, orderStatuses } = data;
    return {
      content,
      balance,
      returns: invoice.returns + difference.returns,
      edits: version,
      editIds: [...invoice.editIds, editId].slice(-REMEMBERED),
      madeAs: invoice.madeAs ?? invoice.content,
      orderStatuses: { ...invoice.orderStatuses, ...orderStatuses },
    };
  },
} satisfies Part<Editable>;

/** What the shopper was shown of an invoice. */
const shownOf = ({ amounts, orders }: InvoiceContent) => ({
  amounts,
  orders: orders.map(({ shippingOptionKey, shippingCost, lines }) => ({
    shippingOptionKey,
    shippingCost,
    lines: lines.map(({ sku, quantity, unitPrice, lineTotal, addons = [] }) => ({
      ...{ sku, quantity, unitPrice, lineTotal },
      addons: addons.map((addon) => ({ sku: addon.sku, unitPrice: addon.unitPrice })),
    })),
  })),
});

/** Whether goods and figures are still the original ones, even after edits. */
export const isShownAsMade = ({ madeAs, content }: Pick<Editable, 'madeAs' | 'content'>): boolean =>
  madeAs === null || isSameJson(shownOf(content), shownOf(madeAs));

/** Discount uses claimed in the name of an edit, as far as the discounts are still there. */
export const usesOfEdits = ({ discounts }: InvoiceContent): readonly ClaimedByEdit[] => [
  ...new Map(
    discounts.flatMap(({ discountId, claimedBy }) =>
      claimedBy === undefined ? [] : [[discountId, { discountId, editId: claimedBy }] as const],
    ),
  ).values(),
];

/** A discount use claimed in the name of the edit that gave the discount. */
export interface ClaimedByEdit {
  readonly discountId: string;
  readonly editId: string;
}

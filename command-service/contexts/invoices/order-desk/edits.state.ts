import type { InvoiceContent, OrderStatus } from '#events/invoice.fields.ts';
import { isSameJson } from '#kernel/same-json.ts';
import type { InvoiceBalance } from '#values/invoice-balance.ts';
import type { Part } from '../invoice-part.state.ts';

/** What an invoice knows of its edits (docs/rules/invoice-editing.md). */
export interface Edits {
  /** How many there have been: the version that an edit names. */
  readonly edits: number;
  /** The last ones: who asks for one again makes no second one. */
  readonly editIds: readonly string[];
  /** As it was made, once it is edited; null while it is that. */
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

/** Everything of an invoice that its shopper was shown. */
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

/** Whether goods and figures are still those that it was made with, however often it was edited. */
export const isShownAsMade = ({ madeAs, content }: Pick<Editable, 'madeAs' | 'content'>): boolean =>
  madeAs === null || isSameJson(shownOf(content), shownOf(madeAs));

/** Uses that edits have claimed in their own names, of discounts that are still there. */
export const usesOfEdits = ({ discounts }: InvoiceContent): readonly ClaimedByEdit[] => [
  ...new Map(
    discounts.flatMap(({ discountId, claimedBy }) =>
      claimedBy === undefined ? [] : [[discountId, { discountId, editId: claimedBy }] as const],
    ),
  ).values(),
];

/** A use that stands in the name of the edit that gave the discount. */
export interface ClaimedByEdit {
  readonly discountId: string;
  readonly editId: string;
}

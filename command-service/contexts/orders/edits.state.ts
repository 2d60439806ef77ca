import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { InvoiceContent, OrderStatus } from '#events/invoice.fields.ts';
import type { EventOfType } from '#kernel/event.ts';
import type { InvoiceBalance } from '#values/invoice-balance.ts';

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
  readonly isOutstandingNoted: boolean | null;
}

const REMEMBERED = 20;

export const edited = <Invoice extends Editable>(
  invoice: Invoice,
  { data }: EventOfType<InvoiceEvent, 'InvoiceEdited'>,
): Invoice => {
  const { editId, version, content, balance, difference, orderStatuses, isOnAccount } = data;
  return {
    ...invoice,
    content,
    balance,
    returns: invoice.returns + difference.returns,
    edits: version,
    editIds: [...invoice.editIds, editId].slice(-REMEMBERED),
    madeAs: invoice.madeAs ?? invoice.content,
    orderStatuses: { ...invoice.orderStatuses, ...orderStatuses },
    isOutstandingNoted: isOnAccount ? false : invoice.isOutstandingNoted,
  };
};

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

import type { OrderLine } from '#events/invoice.fields.ts';
import { callsOf, remember, type Process, type ProcessCommand, type Refusal } from '#kernel/process.ts';
import { to } from '#kernel/stream.ts';
import { takenOver } from '#values/basket-hold.ts';
import { toCustomer } from '../../customers/customer.stream.ts';
import { countersOf } from '../../discounts/discount-usage.commands.ts';
import { discountUsageStream } from '../../discounts/discount-usage.stream.ts';
import { stockStream } from '../../inventory/stock.stream.ts';
import { stockId } from '#values/stock-id.ts';
import type { EditInvoice } from '../../invoices/invoice.commands.ts';
import { isKnown, type InvoiceState } from '../../invoices/invoice.state.ts';
import { invoiceStream } from '../../invoices/invoice.stream.ts';
import type { InvoiceEditBegun } from './invoice-edit.decider.ts';
import { invoiceEditStream } from './invoice-edit.stream.ts';

interface EditedSale {
  readonly version: number;
  /** The number of edits and the total, in the store's currency. */
  readonly edits: number;
  readonly total: number;
  readonly isSold: boolean;
}

export interface EditCalls {
  readonly isClosed: (invoiceId: string) => Promise<boolean>;
}

const call = callsOf<EditCalls>();

export interface OpenInvoiceEdit extends InvoiceEditBegun {
  readonly editId: string;
  /** The edit to make; null if another driver began it, as only that one knows. */
  readonly command: EditInvoice | null;
  readonly edited: EditedSale | null;
}

interface MadeEdit extends OpenInvoiceEdit {
  /** The invoice was closed since. */
  readonly isClosed: boolean;
}

const isTaken = ({ edited, command }: OpenInvoiceEdit): boolean => edited !== null || command === null;

const reserve = ({ editId, stock }: OpenInvoiceEdit) =>
  stock
    .filter(({ reserved }) => reserved > 0)
    .map(({ productId, warehouseId, reserved: quantity }) =>
      to(stockStream, stockId(productId, warehouseId), {
        type: 'ReserveStock',
        basketId: editId,
        placementId: editId,
        quantity,
      }),
    );

const unreserve = ({ editId, stock }: OpenInvoiceEdit) =>
  stock
    .filter(({ reserved }) => reserved > 0)
    .map(({ productId, warehouseId }) =>
      to(stockStream, stockId(productId, warehouseId), {
        type: 'ReleaseStock',
        basketId: editId,
        placementId: editId,
        isFinal: true,
      }),
    );

/** Names the product that is unavailable. */
const namingTheProduct = (
  refusal: Refusal,
  ask: ProcessCommand,
  { stock, command }: OpenInvoiceEdit,
): Refusal => {
  const { code, details } = refusal;
  const row = stock.find(
    ({ productId, warehouseId }) => 'id' in ask && ask.id === stockId(productId, warehouseId),
  );
  const line = command?.content.orders
    .flatMap(({ lines }) => lines)
    .find(({ productId }) => productId === row?.productId);
  if (code !== 'out-of-stock' || !line) return refusal;
  return { ...refusal, message: moreThanThere(line, details) };
};

const moreThanThere = ({ productRootName }: OrderLine, details: Refusal['details']): string =>
  `${productRootName}: ${String(details['requestedQuantity'])} more wanted, ${String(details['availableQuantity'])} available.`;

const claim = ({ editId, claims, customerId }: OpenInvoiceEdit) =>
  claims.flatMap((one) =>
    countersOf(one, customerId).map((counter) =>
      to(discountUsageStream, counter, {
        type: 'ClaimDiscountUse',
        discountId: one.discountId,
        basketId: editId,
        placementId: editId,
        customerId,
        amount: one.amount,
      }),
    ),
  );

const unclaim = ({ editId, claims, customerId }: OpenInvoiceEdit) =>
  claims.flatMap((one) =>
    countersOf(one, customerId).map((counter) =>
      to(discountUsageStream, counter, {
        type: 'ReleaseDiscountUse',
        discountId: one.discountId,
        basketId: editId,
        placementId: editId,
        isFinal: true,
      }),
    ),
  );

/** Uses of a sale count for good, until an edit removes the discount. */
const settleUses = ({ editId, claims, customerId, edited }: OpenInvoiceEdit) =>
  edited?.isSold
    ? claims.flatMap((one) =>
        countersOf(one, customerId).map((counter) =>
          to(discountUsageStream, counter, {
            type: 'SettleDiscountUse',
            discountId: one.discountId,
            basketId: editId,
            placementId: editId,
          }),
        ),
      )
    : [];

const giveUpUses = ({ givenUp, customerId }: OpenInvoiceEdit) =>
  givenUp.flatMap(({ basketId, placementId, ...one }) =>
    countersOf(one, customerId).map((counter) =>
      to(discountUsageStream, counter, {
        type: 'GiveUpDiscountUse',
        discountId: one.discountId,
        basketId,
        placementId,
      }),
    ),
  );

const followStock = ({ editId, basketId, placementId, stock, edited }: OpenInvoiceEdit) =>
  edited === null
    ? []
    : stock.map(({ productId, warehouseId, released, destroyed }) =>
        to(stockStream, stockId(productId, warehouseId), {
          type: 'EditReservation',
          ...{ basketId, placementId, editId, released, destroyed },
        }),
      );

/**
 * From a started edit to everything that follows from it: take the units it adds, edit the invoice, then update
 * stock, uses of discounts and the customer. A refusal gives back what was taken, as does a driver that takes over an
 * unfinished edit.
 */
export const editInvoiceProcess: Process<OpenInvoiceEdit, MadeEdit> = {
  name: 'edit-invoice',
  on: { InvoiceEditBegun: 'opens', InvoiceEditEnded: 'ends' },
  takenOver,
  begins: (opening) => ({ ...opening, isClosed: false }),
  steps: [
    {
      name: 'reserve what comes on top, and claim uses of its codes',
      commands: (open) => (isTaken(open) ? [] : [...reserve(open), ...claim(open)]),
      compensate: (open) => [...unreserve(open), ...unclaim(open)],
      explains: namingTheProduct,
    },
    {
      name: 'edit the invoice',
      commands: ({ invoiceId, command, edited }) =>
        command === null || edited !== null
          ? []
          : [
              remember(to(invoiceStream, invoiceId, command), (open, { state }) => ({
                ...open,
                edited: editedSale(state, open.editId),
              })),
            ],
    },
    {
      name: 'let stock and uses follow',
      isTidyingUp: true,
      commands: (_, open) =>
        open.edited === null
          ? [...unreserve(open), ...unclaim(open)]
          : [...followStock(open), ...settleUses(open), ...giveUpUses(open)],
    },
    {
      // A concurrent closing may have released everything before this was reserved.
      name: 'look whether the invoice still stands',
      commands: (_, { edited, stock, invoiceId }) =>
        edited !== null && stock.some(({ reserved }) => reserved > 0)
          ? [remember(call('isClosed', invoiceId), (open, isClosed) => ({ ...open, isClosed }))]
          : [],
    },
    {
      name: 'give back what is no longer needed',
      isTidyingUp: true,
      commands: (_, { isClosed, stock, basketId, placementId }) =>
        isClosed
          ? stock.map(({ productId, warehouseId }) =>
              to(stockStream, stockId(productId, warehouseId), {
                type: 'ReleaseStock',
                basketId,
                placementId,
              }),
            )
          : [],
    },
    {
      name: 'tell the customer what the sale comes to',
      isTidyingUp: true,
      commands: (_, { edited, customerId, invoiceId }) =>
        edited?.isSold
          ? toCustomer(customerId, {
              type: 'ChangeCustomerSale',
              invoiceId,
              version: edited.edits,
              total: edited.total,
            })
          : [],
    },
  ],
  completes: ({ editId }, { edited }) =>
    to(invoiceEditStream, editId, {
      type: 'EndInvoiceEdit',
      version: edited?.version ?? null,
      refusal: edited === null ? 'interrupted' : null,
    }),
  fails: ({ editId }, { code }) =>
    to(invoiceEditStream, editId, { type: 'EndInvoiceEdit', version: null, refusal: code }),
};

/** The sale after this edit; null if the invoice does not have the edit. */
export const editedSale = (state: InvoiceState, editId: string): EditedSale | null => {
  if (!isKnown(state)) return null;
  const { edits, editIds, content, isConfirmed } = state;
  const later = editIds.length - 1 - editIds.indexOf(editId);
  return editIds.includes(editId)
    ? { version: edits - later, edits, total: content.amountsInStoreCurrency.total, isSold: isConfirmed }
    : null;
};

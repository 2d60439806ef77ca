import type { OrderLine } from '#events/invoice.fields.ts';
import { callsOf, remember, type Process, type ProcessCommand, type Refusal } from '#kernel/process.ts';
import { to } from '#kernel/stream.ts';
import type { ChargeOutcome } from '#ports/payment-requests.ts';
import { toCustomer } from '../../customers/customer.stream.ts';
import { stockStream } from '../../inventory/stock.stream.ts';
import { stockId } from '#values/stock-id.ts';
import type { InvoiceState, KnownInvoice } from '../../invoices/invoice.state.ts';
import type { PostPurchaseAdd } from '../../invoices/post-purchase/post-purchase.state.ts';
import { invoiceStream } from '../../invoices/invoice.stream.ts';
import { savedMethodsStream } from '../../payment-methods/saved-methods.stream.ts';

export interface OpenAfterwards {
  readonly invoiceId: string;
  readonly invoice: KnownInvoice;
  readonly add: PostPurchaseAdd;
  /** This driver began it, and the provider has not been asked. */
  readonly isFirstAsk: boolean;
  /** The outcome has been pending for too long: the add is given up. */
  readonly isGivenUp: boolean;
}

/** Null: not known yet. */
type Undone = 'refunded' | 'voided' | 'kept' | null;

interface Found extends Pick<PostPurchaseAdd, 'stage' | 'toUndo'> {
  readonly outcome: ChargeOutcome;
  /** Why the payment could not be recorded; null if it was. */
  readonly refusal: Pick<Refusal, 'code' | 'message'> | null;
  readonly undone: Undone;
  /** The number of edits and the total, in the store's currency. */
  readonly sale: { readonly edits: number; readonly total: number };
}

export interface AddingCalls {
  readonly charge: (open: OpenAfterwards) => Promise<ChargeOutcome>;
  /** Why the payment could not be recorded; null if it was. */
  readonly record: (add: {
    readonly invoiceId: string;
    readonly addId: string;
    readonly transactionId: string;
  }) => Promise<Found['refusal']>;
  readonly undo: (charge: {
    readonly transactionId: string;
    readonly isTaken: boolean;
    readonly open: OpenAfterwards;
  }) => Promise<Undone>;
  readonly giveBack: (invoiceId: string) => Promise<unknown>;
  /** The sale as it is now. */
  readonly sale: (invoiceId: string) => Promise<Found['sale']>;
}

const call = callsOf<AddingCalls>();

const addOf = (state: InvoiceState): PostPurchaseAdd | null =>
  'postPurchase' in state ? (state.postPurchase?.add ?? null) : null;

/** The stage of the add after a command. */
const stageIn = (found: Found, { state }: { readonly state: InvoiceState }): Found => {
  const add = addOf(state);
  return add === null ? found : { ...found, stage: add.stage, toUndo: add.toUndo };
};

const stockOf = ({ add: { begun } }: OpenAfterwards) => begun.stock.filter(({ reserved }) => reserved > 0);

const reserve = (open: OpenAfterwards) => {
  const { addId } = open.add.begun;
  return stockOf(open).map(({ productId, warehouseId, reserved: quantity }) =>
    to(stockStream, stockId(productId, warehouseId), {
      type: 'ReserveStock',
      basketId: addId,
      placementId: addId,
      quantity,
    }),
  );
};

const unreserve = (open: OpenAfterwards) => {
  const { addId } = open.add.begun;
  return stockOf(open).map(({ productId, warehouseId }) =>
    to(stockStream, stockId(productId, warehouseId), {
      type: 'ReleaseStock',
      basketId: addId,
      placementId: addId,
      isFinal: true,
    }),
  );
};

/** Joins the add's reservation with the order's. */
const joinReservation = (open: OpenAfterwards) => {
  const { invoiceId, invoice, add } = open;
  const { content, placementId } = invoice;
  const basketId = content.basketId ?? invoiceId;
  return stockOf(open).map(({ productId, warehouseId, released, destroyed }) =>
    to(stockStream, stockId(productId, warehouseId), {
      type: 'EditReservation',
      ...{ basketId, placementId, editId: add.begun.addId, released, destroyed },
    }),
  );
};

/** Updates the customer's purchases and the last use of the payment method. */
const noteSale = (
  { invoiceId, invoice, add: { begun } }: OpenAfterwards,
  { edits: version, total }: Found['sale'],
): readonly ProcessCommand[] => [
  ...toCustomer(invoice.content.customerId, { type: 'ChangeCustomerSale', invoiceId, version, total }),
  ...(begun.saved
    ? [
        to(savedMethodsStream, begun.saved.customerId, {
          type: 'NotePaymentMethodUsed',
          methodId: begun.saved.methodId,
          invoiceId,
        }),
      ]
    : []),
];

const namingTheProduct = (
  refusal: Refusal,
  _: ProcessCommand,
  { add: { begun } }: OpenAfterwards,
): Refusal => {
  if (refusal.code !== 'out-of-stock') return refusal;
  const line = begun.content.orders
    .flatMap(({ lines }): readonly OrderLine[] => lines)
    .find(({ id }) => begun.lineIds.includes(id));
  const { requestedQuantity, availableQuantity } = refusal.details;
  const name = line?.productRootName ?? '';
  const message = `${name}: ${String(requestedQuantity)} wanted, ${String(availableQuantity)} available.`;
  return { ...refusal, message };
};

/** Why nothing is added; null if it is added, or not known yet. */
const failureOf = (open: OpenAfterwards, { outcome, refusal }: Found) => {
  switch (outcome.kind) {
    case 'completed':
    case 'authorized': {
      const { transactionId } = outcome;
      const { code, message } = refusal ?? { code: 'not-recorded', message: 'It could not be recorded.' };
      return { code, message, charge: { transactionId, isTaken: true } };
    }
    case 'refused':
      return { code: outcome.code, message: outcome.message, charge: null };
    case 'pending':
    case 'requiresAction': {
      const { transactionId } = outcome;
      const message = 'Your bank requires authentication, which is not possible here.';
      return { code: outcome.kind, message, charge: { transactionId, isTaken: false } };
    }
    case 'unavailable': {
      // This says nothing about an earlier ask.
      if (!open.isFirstAsk) return givenUp(open);
      const message = 'The payment provider cannot be reached. Nothing was charged.';
      return { code: 'unavailable', message, charge: null, isOfFirstAsk: true };
    }
    case 'unknownOutcome':
      return givenUp(open);
  }
};

const givenUp = ({ isGivenUp, add: { begun } }: OpenAfterwards) =>
  isGivenUp
    ? {
        code: 'unknown',
        message: `${begun.provider} has not said whether it has charged. Look there under the key ${begun.addId}.`,
        charge: null,
      }
    : null;

const isBegun = ({ stage }: Found): boolean => stage === 'begun';

/**
 * From an add begun after a purchase to everything that follows from it: reserve, charge, record payment and edit in
 * one append. A failure after the charge undoes the charge, returns the stock and releases the order. When driven
 * again, it continues from what the invoice says, under the same keys.
 */
export const addAfterwards: Process<OpenAfterwards, Found> = {
  name: 'add-afterwards',
  on: {
    PostPurchaseAddBegun: 'opens',
    PostPurchaseAddRefused: 'ends',
    PostPurchaseAddSettled: 'ends',
  },
  takenOver: null,
  begins: ({ add: { stage, toUndo }, invoice: { edits, content } }) => ({
    stage,
    toUndo,
    outcome: { kind: 'unknownOutcome' },
    refusal: null,
    undone: null,
    sale: { edits, total: content.amountsInStoreCurrency.total },
  }),
  steps: [
    {
      name: 'reserve what is added',
      commands: (open, found) => (isBegun(found) ? reserve(open) : []),
      compensate: unreserve,
      explains: namingTheProduct,
    },
    {
      name: 'record that another caller asks, or asks again',
      commands: ({ invoiceId, add, isFirstAsk }, found) =>
        isBegun(found) && add.isFirstAsk && !isFirstAsk
          ? [to(invoiceStream, invoiceId, { type: 'AskPostPurchaseAgain', addId: add.begun.addId })]
          : [],
    },
    {
      name: 'charge the saved method',
      commands: (open, before) =>
        isBegun(before) ? [remember(call('charge', open), (found, outcome) => ({ ...found, outcome }))] : [],
    },
    {
      name: 'record payment and edit',
      commands: ({ invoiceId, add: { begun } }, before) => {
        if (!isBegun(before) || before.outcome.kind !== 'completed') return [];
        const { transactionId } = before.outcome;
        return [
          remember(call('record', { invoiceId, addId: begun.addId, transactionId }), (found, refusal) => ({
            ...found,
            refusal,
            stage: refusal === null ? 'added' : found.stage,
          })),
        ];
      },
    },
    {
      name: 'say that nothing is added',
      commands: (open, found) => {
        const failure = isBegun(found) ? failureOf(open, found) : null;
        const { addId } = open.add.begun;
        return failure
          ? [
              remember(
                to(invoiceStream, open.invoiceId, { type: 'FailPostPurchaseAdd', addId, ...failure }),
                stageIn,
              ),
            ]
          : [];
      },
    },
    {
      name: 'undo the charge',
      commands: (open, { toUndo }) =>
        toUndo
          ? [remember(call('undo', { ...toUndo, open }), (found, undone) => ({ ...found, undone }))]
          : [],
    },
    {
      name: 'note that it is undone',
      commands: ({ invoiceId, add: { begun } }, { undone: how }) =>
        how === null
          ? []
          : [
              to(invoiceStream, invoiceId, {
                type: 'NotePostPurchaseUndone',
                addId: begun.addId,
                how,
              }),
            ],
    },
    {
      name: 'have given back what the provider has kept, as money that is owed',
      isTidyingUp: true,
      commands: ({ invoiceId }, { undone }) => (undone === 'kept' ? [call('giveBack', invoiceId)] : []),
    },
    {
      name: 'see what the sale comes to',
      isTidyingUp: true,
      commands: ({ invoiceId }, { stage }) =>
        stage === 'added' ? [remember(call('sale', invoiceId), (found, sale) => ({ ...found, sale }))] : [],
    },
    {
      name: 'let stock, customer and method follow',
      isTidyingUp: true,
      commands: (open, { stage, sale }) => {
        if (stage === 'begun') return [];
        return stage === 'added' ? [...joinReservation(open), ...noteSale(open, sale)] : unreserve(open);
      },
    },
  ],
  completes: ({ invoiceId, add: { begun } }) =>
    to(invoiceStream, invoiceId, { type: 'SettlePostPurchaseAdd', addId: begun.addId }),
  fails: ({ invoiceId, add: { begun } }, { code }) =>
    to(invoiceStream, invoiceId, { type: 'RefusePostPurchaseAdd', addId: begun.addId, code }),
};

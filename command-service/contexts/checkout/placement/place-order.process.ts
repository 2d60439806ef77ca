import type { StockHold } from '#events/checkout.events.ts';
import { callsOf, remember, type Process, type Refusal } from '#kernel/process.ts';
import { to } from '#kernel/stream.ts';
import { takenOver } from '#values/basket-hold.ts';
import { formatInvoiceNumber } from '#values/invoice-number.ts';
import { givesBack, type Placement } from '../../basket/basket.state.ts';
import { countersOf as countersWith, customerUsageId } from '../../discounts/discount-usage.commands.ts';
import { discountUsageStream } from '../../discounts/discount-usage.stream.ts';
import { stockStream } from '../../inventory/stock.stream.ts';
import { stockId } from '#values/stock-id.ts';
import type { NumberCalls } from '../../invoices/invoice.commands.ts';
import { isKnown } from '../../invoices/invoice.state.ts';
import { invoiceStream } from '../../invoices/invoice.stream.ts';
import { basketEndStream, checkoutStream } from '../checkout.stream.ts';

/** A placement under way, with what does not stand in the event that opened it. */
export interface OpenPlacement extends Placement {
  readonly basketId: string;
  /** Another driver may have left something behind, or still be at it. */
  readonly isResumed: boolean;
  readonly invoiceNumberPrefix: string;
  /** Position of the log by which it has begun. */
  readonly begunBy: number;
}

export interface PlacementCalls extends NumberCalls {
  readonly keepToLimit: (placed: {
    readonly invoiceId: string;
    readonly limit: number;
    readonly begunBy: number;
  }) => Promise<unknown>;
}

const call = callsOf<PlacementCalls>();

interface Found {
  readonly number: number | null;
  readonly invoiceNumber: string;
}

const holderOf = ({ basketId, placementId, turn }: OpenPlacement) => ({ basketId, placementId, turn });

const reserve = (placement: OpenPlacement, { productId, warehouseId, quantity }: StockHold) =>
  to(stockStream, stockId(productId, warehouseId), {
    type: 'ReserveStock',
    ...holderOf(placement),
    quantity,
  });

const release = (placement: OpenPlacement, { productId, warehouseId }: StockHold) =>
  to(stockStream, stockId(productId, warehouseId), {
    type: 'ReleaseStock',
    ...holderOf(placement),
    isFinal: placement.isResumed,
  });

type DiscountClaim = OpenPlacement['discountClaims'][number];

const countersOf = ({ discountId, perCustomer }: DiscountClaim, { content }: OpenPlacement) =>
  countersWith({ discountId, perCustomer: perCustomer === true }, content.customerId);

const claim = (placement: OpenPlacement, claimed: DiscountClaim) =>
  countersOf(claimed, placement).map((counter) =>
    to(discountUsageStream, counter, {
      type: 'ClaimDiscountUse',
      discountId: claimed.discountId,
      ...holderOf(placement),
      customerId: placement.content.customerId,
      amount: claimed.amount,
    }),
  );

const unclaim = (placement: OpenPlacement, discountId: string, counter = discountId) =>
  to(discountUsageStream, counter, {
    type: 'ReleaseDiscountUse',
    discountId,
    ...holderOf(placement),
    isFinal: placement.isResumed,
  });

/** What the older order has claimed and this one does not need. */
const unclaimOlder = (placement: OpenPlacement) => [
  ...placement.discountReleases.map((discountId) => unclaim(placement, discountId)),
  ...(placement.customerReleases ?? []).map(({ discountId, customerId }) =>
    unclaim(placement, discountId, customerUsageId(discountId, customerId)),
  ),
];

/** Which product it is that cannot be had. */
const namingTheLine = (refusal: Refusal, productId: string, { content }: OpenPlacement): Refusal => {
  const { code, details } = refusal;
  const line = content.orders
    .flatMap((order) => order.lines)
    .find((candidate) => candidate.productId === productId);
  if (code !== 'out-of-stock' || !line) return refusal;
  const { basketLineId: lineItemId, sku, productRootName: name } = line;
  const wanted = `${String(details['requestedQuantity'])} wanted, ${String(details['availableQuantity'])} available`;
  const item = { lineItemId, sku, name, reason: 'stock', message: `${name}: ${wanted}.`, ...details };
  return { code, message: item.message, details: { ...details, unavailableItems: [item] } };
};

/**
 * From a basket to an invoice: close the older invoice, reserve stock, claim discount uses, take a number, create the
 * invoice. What can be refused comes before what cannot be taken back; a refusal releases everything.
 */
export const placeOrder: Process<OpenPlacement, Found> = {
  name: 'place-order',
  on: { OrderPlacementStarted: 'opens', OrderPlaced: 'ends', OrderPlacementFailed: 'ends' },
  begins: () => ({ number: null, invoiceNumber: '' }),
  steps: [
    {
      name: 'close the older invoice',
      commands: ({ supersededInvoiceId, placementId }) =>
        supersededInvoiceId === null
          ? []
          : [to(invoiceStream, supersededInvoiceId, { type: 'SupersedeInvoice', placementId })],
    },
    {
      name: 'reserve stock',
      commands: (placement) =>
        placement.holds.filter(({ quantity }) => quantity > 0).map((hold) => reserve(placement, hold)),
      compensate: (placement) => placement.holds.map((hold) => release(placement, hold)),
      explains: (refusal, ask, placement) => {
        const hold = placement.holds.find(
          ({ productId, warehouseId }) => 'id' in ask && ask.id === stockId(productId, warehouseId),
        );
        return hold ? namingTheLine(refusal, hold.productId, placement) : refusal;
      },
    },
    {
      name: 'claim discount uses',
      commands: (placement) => placement.discountClaims.flatMap((claimed) => claim(placement, claimed)),
      compensate: (placement) => [
        ...placement.discountClaims.flatMap((claimed) =>
          countersOf(claimed, placement).map((counter) => unclaim(placement, claimed.discountId, counter)),
        ),
        ...unclaimOlder(placement),
      ],
      explains: (refusal, ask, placement) => {
        const claimed = placement.discountClaims.find(
          (one) => 'id' in ask && countersOf(one, placement).includes(ask.id),
        );
        return claimed
          ? { ...refusal, details: { ...refusal.details, discountId: claimed.discountId } }
          : refusal;
      },
    },
    {
      // Two processes may each have let in the last one: the log says who came first.
      name: 'keep to the limit of unpaid invoices',
      commands: ({ invoiceId, openInvoices, begunBy }) =>
        openInvoices ? [call('keepToLimit', { invoiceId, limit: openInvoices.limit, begunBy })] : [],
    },
    {
      name: 'take a number',
      commands: ({ invoiceId, invoiceNumbersRevision }) => [
        remember(
          call('takeInvoiceNumber', { invoiceId, afterRevision: invoiceNumbersRevision }),
          (found, number) => ({ ...found, number }),
        ),
      ],
      // The number is used up: the invoice that cannot be created is kept as void under it.
      compensate: ({ invoiceId, placementId, content: { businessDay }, invoiceNumberPrefix }, { number }) =>
        number === null
          ? []
          : [
              to(invoiceStream, invoiceId, {
                type: 'VoidInvoice',
                placementId,
                invoiceNumber: formatInvoiceNumber(invoiceNumberPrefix, number),
                businessDay,
                reason: 'the invoice could not be created',
              }),
            ],
    },
    {
      name: 'create the invoice',
      commands: (
        { invoiceId, placementId, content, email, billingAddress, shippingAddress, ...rest },
        found,
      ) => [
        remember(
          to(invoiceStream, invoiceId, {
            type: 'CreateInvoice',
            placementId,
            email,
            billingAddress,
            shippingAddress,
            invoiceNumber: formatInvoiceNumber(rest.invoiceNumberPrefix, found.number ?? 0),
            content,
            ...(rest.shownUpsells ? { shownUpsells: rest.shownUpsells } : {}),
          }),
          // The number under which it stands, whatever the prefix has become since.
          (before, { state }) =>
            isKnown(state) ? { ...before, invoiceNumber: state.invoiceNumber } : before,
        ),
      ],
    },
    {
      name: 'give back what the older order held and this one does not need',
      isTidyingUp: true,
      commands: (placement) => [
        ...placement.holds.filter(({ quantity }) => quantity === 0).map((hold) => release(placement, hold)),
        ...unclaimOlder(placement),
      ],
    },
  ],
  takenOver,
  // The invoice can be paid by now, and who pays it ends the placement as well (`CompleteBasket`).
  completesAfterwards: (placement) => !givesBack(placement),
  completes: ({ basketId, placementId, turn, invoiceId }, { invoiceNumber }) =>
    to(basketEndStream, basketId, { type: 'CompletePlacement', placementId, turn, invoiceId, invoiceNumber }),
  fails: ({ basketId, placementId, turn }, refusal, hasCompensated) =>
    to(checkoutStream, basketId, {
      type: 'FailPlacement',
      placementId,
      turn,
      ...refusal,
      keepsHolds: !hasCompensated,
    }),
};

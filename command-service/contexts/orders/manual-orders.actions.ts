import type { CommandMeta } from '#command/engine/command-engine.ts';
import { idOfCreated, stepMeta } from '#command/engine/command-meta.ts';
import { createInstances } from '#command/engine/run-process.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { writtenProblems, type WrittenItem } from '#command/pricing/custom-item.ts';
import { writeInvoice, type Leaving } from '#command/pricing/write-invoice.ts';
import type { InvoiceContent } from '#events/invoice.fields.ts';
import { isoInstant } from '#kernel/clock.ts';
import { refuseProblems } from '#kernel/entity.ts';
import { derivedId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { Reference } from '#reference/reference.ts';
import { dueDateOf } from '#values/account-terms.ts';
import { splitName, type Address } from '#values/address.ts';
import { businessDay } from '#values/business-day.ts';
import { formatMoney, MAX_AMOUNT } from '#values/money.ts';
import type { CustomerAccount } from '../customers/customer.commands.ts';
import { createManualOrder, type OpenManualOrder } from './create-manual-order.process.ts';
import { createInvoiceNumbers } from './invoice-numbers.actions.ts';
import { isKnown } from './invoice.state.ts';
import type { RequestManualOrder } from './order-desk.commands.ts';
import { orderDeskDecider } from './order-desk.decider.ts';
import { orderDeskContext, orderDeskStream } from './order-desk.stream.ts';
import { staffOf, type Staff } from './staff.ts';

/** A line that staff write by hand, and where it is to leave from. */
export interface GivenItem extends WrittenItem {
  readonly warehouseId: string | null;
  readonly shippingOptionId: string | null;
}

export interface GivenManualOrder {
  readonly billingAddress: Address & { readonly email: string };
  /** Null: the same. */
  readonly shippingAddress: Address | null;
  readonly items: readonly GivenItem[];
}

export interface MadeManualOrder {
  readonly invoiceId: string;
  readonly invoiceNumber: string;
  readonly position: number;
}

type Named = Pick<GivenItem, 'taxGroupId' | 'warehouseId' | 'shippingOptionId'>;

/** What an item names and the shop does not have. */
export const unknownNames = (
  { taxGroupId, warehouseId, shippingOptionId }: Named,
  { tax, shipping }: Pick<Reference, 'tax' | 'shipping'>,
): readonly string[] => {
  const option = shippingOptionId === null ? undefined : shipping.option(shippingOptionId);
  const isElsewhere = option && warehouseId !== null && option.warehouseId !== warehouseId;
  return [
    ...(taxGroupId !== null && !tax.group(taxGroupId)
      ? ['taxGroupId: an existing tax group was expected']
      : []),
    ...(warehouseId !== null && !shipping.warehouse(warehouseId)
      ? ['warehouseId: an existing warehouse was expected']
      : []),
    ...(shippingOptionId !== null && !option
      ? ['shippingOptionId: an existing shipping option was expected']
      : []),
    ...(isElsewhere ? ['shippingOptionId: a shipping option of that warehouse was expected'] : []),
  ];
};

/** What was not named is the first of the shop (docs/rules/manual-orders.md#orders). */
const leavingFrom = (
  { warehouseId, shippingOptionId }: Named,
  { shipping }: Pick<Reference, 'shipping'>,
): Leaving => {
  const given = shippingOptionId === null ? undefined : shipping.option(shippingOptionId);
  if (given) return { warehouseId: given.warehouseId, option: given };
  const firstOf = (id: string) => shipping.optionsOf(id).find(({ isEnabled }) => isEnabled) ?? null;
  if (warehouseId !== null) return { warehouseId, option: firstOf(warehouseId) };
  const all = shipping.warehouses();
  const first = all.find(({ id }) => firstOf(id) !== null) ?? all[0];
  return first ? { warehouseId: first.id, option: firstOf(first.id) } : { warehouseId: null, option: null };
};

const problemsOf = (items: readonly GivenItem[], reference: CommandDeps['reference']): readonly string[] =>
  items.flatMap((item, index) =>
    [...unknownNames(item, reference), ...writtenProblems(item)].map(
      (problem) => `customItems.${index}.${problem}`,
    ),
  );

/** Amounts are counted exactly (docs/rules/pricing.md#largest-amount). */
const refuseTooLarge = ({ currency, amounts, orders }: InvoiceContent): void => {
  const costs = orders.flatMap(({ lines }) => lines.map((line) => line.costInStoreCurrency));
  if ([...Object.values(amounts), ...costs].every((amount) => Math.abs(amount) <= MAX_AMOUNT)) return;
  const limit = formatMoney(MAX_AMOUNT, currency);
  throw new Rejection('amount-too-large', `customItems: an order comes to at most ${limit}.`);
};

/** For whom it is, and who sells it. */
interface Parties {
  readonly customerId: string;
  readonly account: Pick<CustomerAccount, 'paymentTermsDays'> | null;
  readonly seller: Staff;
}

const commandFor = (
  { reference, settings, clock }: CommandDeps,
  { billingAddress, shippingAddress: elsewhere, items }: GivenManualOrder,
  invoiceId: string,
  { customerId, account, seller }: Parties,
): Omit<RequestManualOrder, 'invoiceNumbersRevision'> => {
  const { storeCurrencyCode: currency, reportingTimeZone } = settings();
  const now = clock.now();
  const createdAt = isoInstant(now);
  const shippingAddress = elsewhere ?? billingAddress;
  const placementId = derivedId('manual-order', invoiceId);
  const content = writeInvoice(
    {
      placementId,
      customerId,
      ...(account ? { accountTerms: { dueDate: dueDateOf(createdAt, account.paymentTermsDays) } } : {}),
      createdAt,
      businessDay: businessDay(now, reportingTimeZone),
      currency,
      items: items.map((item) => ({ ...item, leaving: leavingFrom(item, reference) })),
      to: shippingAddress,
      seller,
    },
    reference.tax,
  );
  refuseTooLarge(content);
  const { email } = billingAddress;
  return { type: 'RequestManualOrder', placementId, content, email, billingAddress, shippingAddress };
};

/** Asks the owner's hooks before a customer is made known, whom a refusal would leave behind. */
const rehearse = (
  deps: CommandDeps,
  invoiceId: string,
  draft: Omit<RequestManualOrder, 'invoiceNumbersRevision'>,
  meta: CommandMeta,
): Promise<void> => {
  const command = { ...draft, invoiceNumbersRevision: -1 };
  const context = orderDeskContext(deps, invoiceId);
  return deps.commands.rehearse({ decider: orderDeskDecider, id: invoiceId, command, context, meta });
};

/** Sells without a basket (docs/rules/manual-orders.md). */
export const createManualOrders = (deps: CommandDeps) => {
  const { streams, reference, settings, commands, neighbours, stateStore } = deps;
  const numbers = createInvoiceNumbers(deps);
  // No lease: several drivers of one instance are harmless.
  const instances = createInstances({
    process: createManualOrder,
    calls: {
      takeInvoiceNumber: (
        { invoiceId, afterRevision }: { readonly invoiceId: string; readonly afterRevision: number },
        meta,
      ) => numbers.take(invoiceId, afterRevision, meta),
    },
    streams,
  });

  const open = async (invoiceId: string): Promise<OpenManualOrder | null> => {
    const { state } = await streams.load(orderDeskStream, invoiceId);
    if (state.status !== 'requested') return null;
    return { ...state, invoiceId, invoiceNumberPrefix: settings().invoiceNumberPrefix };
  };

  /** Makes the invoice of an order that was requested, and tells what is owed. The position that it reached. */
  const resume = async (invoiceId: string, meta: CommandMeta): Promise<number> => {
    const made = (await instances.run(invoiceId, meta, () => open(invoiceId)))?.position ?? 0;
    return Math.max(made, await neighbours.payments.noteOutstanding(invoiceId, meta));
  };

  return {
    resume,
    drain: () => instances.drain(),

    /** Errors: `invalid-request`, `amount-too-large`, `cancelled` by a hook. */
    create: async (given: GivenManualOrder, meta: CommandMeta): Promise<MadeManualOrder> => {
      refuseProblems(problemsOf(given.items, reference));
      const invoiceId = idOfCreated('manual-order', meta);
      const seller = await staffOf(stateStore, meta.actor);
      const draft = commandFor(deps, given, invoiceId, { customerId: '', account: null, seller });
      if (commands.isHooked) await rehearse(deps, invoiceId, draft, meta);
      const { email, name } = given.billingAddress;
      const person = { email, acceptsMarketing: false, ...splitName(name) };
      const customerId = await neighbours.customers.ensure(person, stepMeta(meta));
      const account = await neighbours.customers.accountOf(customerId);
      const command = {
        ...commandFor(deps, given, invoiceId, { customerId, account, seller }),
        invoiceNumbersRevision: await numbers.lastRevision(),
      };
      await streams.send(orderDeskStream, invoiceId, command, meta);
      const reached = await resume(invoiceId, stepMeta(meta));
      const { state, position } = await streams.load(orderDeskStream, invoiceId);
      if (!isKnown(state)) throw new Error(`no invoice came of manual order ${invoiceId}`);
      return { invoiceId, invoiceNumber: state.invoiceNumber, position: Math.max(position, reached) };
    },
  };
};

export type ManualOrders = ReturnType<typeof createManualOrders>;

/** What those do with orders who call without a request. */
export interface OrderActions {
  readonly createManual: ManualOrders['create'];
}

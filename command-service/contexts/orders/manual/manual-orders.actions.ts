import type { CommandMeta } from '#command/engine/command-engine.ts';
import { idOfCreated, stepMeta } from '#command/engine/command-meta.ts';
import type { AloneOptions, RunAlone } from '#command/engine/run-alone.ts';
import { createInstances, type Performs } from '#command/engine/run-process.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import type { InvoiceEdit } from '#command/pricing/edits/invoice-edit.ts';
import { resolveShippingTax } from '#command/pricing/shipping-tax.ts';
import { writeInvoice } from '#command/pricing/write-invoice.ts';
import type { InvoiceContent } from '#events/invoice.fields.ts';
import { isoInstant } from '#kernel/clock.ts';
import { derivedId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import { dueDateOf } from '#values/account-terms.ts';
import { splitName, type Address } from '#values/address.ts';
import { takenOver } from '#values/basket-hold.ts';
import { businessDay } from '#values/business-day.ts';
import { formatMoney, MAX_AMOUNT } from '#values/money.ts';
import type { CustomerAccount } from '../../customers/customer.commands.ts';
import { createManualOrder, type OpenManualOrder } from './create-manual-order.process.ts';
import { createInvoiceNumbers } from '../numbers/invoice-numbers.actions.ts';
import { isKnown, type KnownInvoice } from '../../invoices/invoice.state.ts';
import type { RequestManualOrder } from '../../invoices/order-desk/order-desk.commands.ts';
import { findLines, type GivenLines } from './manual-order-lines.ts';
import type { NumberCalls } from '../../invoices/invoice.commands.ts';
import { invoiceStream } from '../../invoices/invoice.stream.ts';
import { staffOf, type Staff } from '../staff.ts';

export interface GivenManualOrder extends GivenLines {
  readonly billingAddress: Address & { readonly email: string };
  /** Null: the billing address. */
  readonly shippingAddress: Address | null;
}

export interface MadeManualOrder {
  readonly invoiceId: string;
  readonly invoiceNumber: string;
  readonly position: number;
}

/** Amounts are counted exactly (docs/rules/pricing.md#largest-amount). */
const refuseTooLarge = ({ currency, amounts, orders }: InvoiceContent): void => {
  const costs = orders.flatMap(({ lines }) => lines.map((line) => line.costInStoreCurrency));
  if ([...Object.values(amounts), ...costs].every((amount) => Math.abs(amount) <= MAX_AMOUNT)) return;
  const limit = formatMoney(MAX_AMOUNT, currency);
  throw new Rejection('amount-too-large', `An order can be at most ${limit}.`);
};

/** The customer, and the member of staff. */
interface Parties {
  readonly customerId: string;
  readonly account: Pick<CustomerAccount, 'paymentTermsDays'> | null;
  readonly seller: Staff;
}

const commandFor = (
  deps: CommandDeps,
  { billingAddress, shippingAddress: elsewhere, ...given }: GivenManualOrder,
  invoiceId: string,
  { customerId, account, seller }: Parties,
): Omit<RequestManualOrder, 'invoiceNumbersRevision'> => {
  const { reference, settings, clock } = deps;
  const { storeCurrencyCode: currency, reportingTimeZone } = settings();
  const now = clock.now();
  const createdAt = isoInstant(now);
  const shippingAddress = elsewhere ?? billingAddress;
  const { countryCode, regionCode, postalCode } = shippingAddress;
  const to = { countryCode, regionCode, postalCode };
  const placementId = derivedId('manual-order', invoiceId);
  const { holds, ...lines } = findLines(given, to, deps);
  const content = writeInvoice(
    {
      placementId,
      customerId,
      ...(account && { accountTerms: { dueDate: dueDateOf(createdAt, account.paymentTermsDays) } }),
      createdAt,
      businessDay: businessDay(now, reportingTimeZone),
      currency,
      ...lines,
      to,
      shippingTax: resolveShippingTax(settings(), reference.tax, to),
      seller,
    },
    reference.tax,
  );
  refuseTooLarge(content);
  const { email } = billingAddress;
  return { type: 'RequestManualOrder', placementId, content, holds, email, billingAddress, shippingAddress };
};

/** Records the request, registering the customer if need be. */
const request = async (
  deps: CommandDeps,
  given: GivenManualOrder,
  invoiceId: string,
  meta: CommandMeta,
): Promise<void> => {
  const { streams, commands, apis, stateStore } = deps;
  const seller = await staffOf(stateStore, meta.actor);
  const draft = commandFor(deps, given, invoiceId, { customerId: '', account: null, seller });
  // A later refusal would leave the newly registered customer behind.
  if (commands.isHooked)
    await streams.rehearse(invoiceStream, invoiceId, { ...draft, invoiceNumbersRevision: -1 }, meta);
  const { email, name } = given.billingAddress;
  const person = { email, acceptsMarketing: false, ...splitName(name) };
  const customerId = await apis.customers.ensure(person, stepMeta(meta));
  const account = await apis.customers.accountOf(customerId);
  const command = {
    ...commandFor(deps, given, invoiceId, { customerId, account, seller }),
    invoiceNumbersRevision: await createInvoiceNumbers(deps).lastRevision(),
  };
  await streams.send(invoiceStream, invoiceId, command, meta);
};

/** The outcome of an order. Errors: why it was refused; `order-being-placed` while another driver works on it. */
const outcome = async (
  { streams }: CommandDeps,
  invoiceId: string,
  reached: number,
): Promise<MadeManualOrder> => {
  const { state, position } = await streams.load(invoiceStream, invoiceId);
  if (state.status === 'refused') {
    const { code, message, details } = state.refusal;
    throw new Rejection(code, message, details);
  }
  if (!isKnown(state)) throw takenOver();
  return { invoiceId, invoiceNumber: state.invoiceNumber, position: Math.max(position, reached) };
};

/** A late driver finds what another has done, so most orders need no lease. */
const LEASE_AFTER_MILLISECONDS = 1000;

/** Sells without a basket (docs/rules/manual-orders.md). */
export const createManualOrders = (deps: CommandDeps & { readonly runAlone: RunAlone }) => {
  const { streams, settings, apis, runAlone } = deps;
  const numbers = createInvoiceNumbers(deps);
  const calls: Performs<NumberCalls> = {
    takeInvoiceNumber: ({ invoiceId, afterRevision }, meta) => numbers.take(invoiceId, afterRevision, meta),
  };
  const instances = createInstances({ process: createManualOrder, calls, streams, runAlone });

  const open = async (invoiceId: string): Promise<OpenManualOrder | null> => {
    const { state } = await streams.load(invoiceStream, invoiceId);
    if (state.status === 'requested')
      return { ...state, invoiceId, invoiceNumberPrefix: settings().invoiceNumberPrefix };
    if (state.status !== 'refused' || !state.isToBeCleared) return null;
    const { placementId, holds = [] } = state;
    return { status: 'refused', invoiceId, placementId, holds };
  };

  /** Creates the invoice of an order, or releases what a refused one holds. */
  const drive = async (invoiceId: string, meta: CommandMeta, how?: AloneOptions): Promise<number> => {
    const run = await instances.run(invoiceId, meta, () => open(invoiceId), how);
    if (!run) return 0;
    return run.refusal ? Math.max(run.position, await drive(invoiceId, meta, how)) : run.position;
  };

  /** Drives a requested order, and notes what is owed on an invoice. Returns the position reached. */
  const resume = async (invoiceId: string, meta: CommandMeta, how?: AloneOptions): Promise<number> => {
    const made = await drive(invoiceId, meta, how);
    if (!isKnown((await streams.load(invoiceStream, invoiceId)).state)) return made;
    return Math.max(made, await apis.payments.noteOutstanding(invoiceId, meta));
  };

  /** Requested before under the same key: its own reservation must not count against it. */
  const isRequested = async (invoiceId: string, { commandId }: CommandMeta): Promise<boolean> =>
    commandId !== undefined && (await streams.load(invoiceStream, invoiceId)).state.status !== 'none';

  return {
    resume,
    drain: () => instances.drain(),

    /** Errors: `invalid-request`, `out-of-stock`, `amount-too-large`, `cancelled` by a hook, `order-being-placed`. */
    create: async (given: GivenManualOrder, meta: CommandMeta): Promise<MadeManualOrder> => {
      const invoiceId = idOfCreated('manual-order', meta);
      if (!(await isRequested(invoiceId, meta))) await request(deps, given, invoiceId, meta);
      const how = { leaseAfterMilliseconds: LEASE_AFTER_MILLISECONDS };
      return outcome(deps, invoiceId, await resume(invoiceId, stepMeta(meta), how));
    },
  };
};

export type ManualOrders = ReturnType<typeof createManualOrders>;

/** Order actions for callers without an HTTP request. */
export interface OrderActions {
  readonly createManual: ManualOrders['create'];
  readonly cancel: (invoiceId: string, reason: string, meta: CommandMeta) => Promise<unknown>;
  readonly edit: (
    invoiceId: string,
    wanted: {
      readonly version: null;
      readonly reason: string;
      readonly read: (invoice: KnownInvoice) => InvoiceEdit;
    },
    meta: CommandMeta,
  ) => Promise<{ readonly invoice: KnownInvoice }>;
}

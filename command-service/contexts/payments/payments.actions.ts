import type { CommandMeta } from '#command/engine/command-engine.ts';
import { stepMeta } from '#command/engine/command-meta.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { defined } from '#kernel/defined.ts';
import { isoInstant } from '#kernel/clock.ts';
import type { Actor } from '#kernel/event.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { PaymentMethodInfo, PaymentProvider } from '#ports/payment-provider.ts';
import type { Buyer } from '../checkout/checkout.commands.ts';
import { FOR_EVER, keptUntil } from '../invoices/unpaid-invoice.state.ts';
import { createCharging, type Attempt } from './charging/charging.ts';
import { saveForOf, type ConsentFrom, type WishToSave } from './charging/save-method.ts';
import { beginOrder, choosePages, chosen, chosenWay, isOnAccount, type ChosenMethod } from './begin-order.ts';
import type { PaidFrom } from './providers/order-request.ts';
import { createManualPayments } from './charging/manual-payments.ts';
import type { PurchaseOrders } from './purchase-orders/purchase-orders.actions.ts';
import { ownInvoice, paidInvoice, type Paid } from './charging/own-invoice.ts';
import { createProcessSaved } from './charging/process-saved.ts';
import { createProcessTransaction } from './charging/process-transaction.ts';
import type { ProviderPayments } from './callbacks/provider-payments.actions.ts';
import type { Settlement } from './settle-payment.ts';
import {
  payableNow,
  sessionKindOf,
  type SessionPages,
  type StartedPayment,
  type StartSession,
} from './sessions/start-session.ts';

export interface PaymentActionDeps extends CommandDeps {
  readonly settlement: Settlement;
  readonly purchaseOrders: PurchaseOrders;
  readonly startSession: StartSession;
  /** Closes, in the background, what is still open of an invoice at its providers. */
  readonly voidSessions: (invoiceId: string, meta: CommandMeta) => void;
  readonly providerPayments: ProviderPayments;
  /** The providers that the shop offers, in the order in which they are listed. */
  readonly providers: () => readonly PaymentProvider[];
}

/** The providers offered to the caller; guests are looked up nowhere. */
const offeredTo =
  ({ providers, purchaseOrders }: PaymentActionDeps) =>
  async (actor: Actor): Promise<readonly PaymentProvider[]> => {
    const offered = providers();
    return offered.some(isOnAccount) && (await purchaseOrders.accountOf(actor)) === null
      ? offered.filter((provider) => !isOnAccount(provider))
      : offered;
  };

/** The saved methods of a signed-in customer. */
const savedOf =
  ({ apis }: PaymentActionDeps) =>
  async ({ kind, id }: Actor) => {
    const customerId = kind === 'member' && id !== null ? await apis.members.customerOf(id) : null;
    return customerId === null ? [] : apis.savedMethods.of(customerId);
  };

/** A payment that has been begun: what is left to do for it. */
export interface BegunPayment {
  readonly invoiceId: string;
  readonly provider: PaymentProvider;
  readonly method: PaymentMethodInfo;
  /** null: there was nothing to pay; or the way to pay needs no session. */
  readonly started: StartedPayment | null;
  /** Of an invoice with nothing left to pay. */
  readonly paid: Paid | null;
  /** Until when its goods are held unpaid, ISO instant; null for good. */
  readonly heldUntil: string | null;
  readonly position: number;
}

/** As this process knows it after what it has just recorded. */
const heldUntil = async (
  { settlement, settings }: PaymentActionDeps,
  invoiceId: string,
): Promise<string | null> => {
  const until = keptUntil(await settlement.recall(invoiceId), settings());
  return until === null || until >= FOR_EVER ? null : isoInstant(until);
};

const startedAt = (started: StartedPayment | null): number =>
  started?.kind === 'started' ? started.position : 0;

/** Makes the invoice, and starts the payment. */
const pay =
  (deps: PaymentActionDeps) =>
  async (
    basketId: string | null,
    choice: ChosenMethod & WishToSave,
    pages: SessionPages,
    buyer: Buyer,
    meta: CommandMeta,
  ): Promise<BegunPayment> => {
    const way = await chosenWay(deps, { ...choice, ip: buyer.ip }, meta.actor);
    const { invoiceId, paid, position: reached } = await beginOrder(deps, basketId, way, pages, buyer, meta);
    if (paid) return { invoiceId, ...way, started: null, paid, heldUntil: null, position: reached };
    const started = sessionKindOf(way) && (await deps.startSession(invoiceId, way, pages, stepMeta(meta)));
    const position = Math.max(reached, startedAt(started));
    return { invoiceId, ...way, started, paid: null, heldUntil: await heldUntil(deps, invoiceId), position };
  };

/** Starts another payment of an invoice. Errors: those of a payment that cannot be. */
const payAgain =
  (deps: PaymentActionDeps) =>
  async (
    basketId: string | null,
    invoiceId: string,
    choice: ChosenMethod & WishToSave & ConsentFrom,
    pages: SessionPages,
    meta: CommandMeta,
  ): Promise<BegunPayment> => {
    const invoice = await ownInvoice(deps, invoiceId, basketId, meta.actor);
    const way = await chosenWay(deps, choice, meta.actor);
    await payableNow(deps, invoiceId);
    if (isOnAccount(way.provider)) await deps.purchaseOrders.check(invoice, meta.actor);
    const reached = await choosePages(deps, invoiceId, way, pages, stepMeta(meta));
    const started = sessionKindOf(way) && (await deps.startSession(invoiceId, way, pages, meta));
    const position = Math.max(reached, startedAt(started));
    return { invoiceId, ...way, started, paid: null, heldUntil: await heldUntil(deps, invoiceId), position };
  };

/** Charges an invoice's balance by a token, or looks a transaction up. */
const processPayment = (deps: PaymentActionDeps) => {
  const charge = createCharging(deps);
  const processTransaction = createProcessTransaction(deps);
  return async (
    basketId: string | null,
    input: ChosenMethod & {
      readonly invoiceId: string;
      readonly paymentMethodToken?: string | null | undefined;
      readonly transactionId?: string | null | undefined;
    } & WishToSave &
      ConsentFrom &
      PaidFrom,
    meta: CommandMeta,
  ): Promise<Attempt> => {
    const { invoiceId, paymentMethodToken: token, transactionId } = input;
    const { provider, method } = chosen(deps, input);
    if (!token && transactionId)
      return processTransaction(basketId, invoiceId, provider, transactionId, meta);
    if (!token) {
      throw new Rejection(
        'invalid-request',
        'paymentMethodToken: must be the token of the provider, or a transactionId.',
      );
    }
    if (!provider.charge) {
      throw new Rejection('invalid-request', `providerAlias: ${provider.alias} does not take tokens.`);
    }
    const problem = provider.checkToken(token);
    if (problem !== null) throw new Rejection('invalid-request', `paymentMethodToken: ${problem}`);
    await ownInvoice(deps, invoiceId, basketId, meta.actor);
    const saveFor = await saveForOf(deps, provider, input, meta.actor);
    const payment = {
      type: 'AttemptPayment',
      provider: provider.alias,
      method: method.methodAlias,
      token,
      tokenHash: deps.keyedHash('payment-token', token),
      ...(saveFor && { saveFor }),
      ...defined({ ownAddress: input.ownAddress, pages: input.pages }),
    } as const;
    return charge(invoiceId, payment, meta);
  };
};

const trimmed = (form: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(form).map(([field, value]) => [field, value.trim()]));

/** Errors: Rejection `invalid-request`, naming the first field of the method's form that is missing. */
const requireFields = ({ formFields }: PaymentMethodInfo, form: Readonly<Record<string, string>>): void => {
  const missing = formFields.find(({ name, required }) => required && !form[name]);
  if (missing)
    throw new Rejection('invalid-request', `formData.${missing.name}: ${missing.label} is required.`);
};

/** What a form says of a payment, believed or as a promise; returns the position. */
const recordForm = async (
  { settlement }: PaymentActionDeps,
  invoiceId: string,
  form: {
    readonly provider: PaymentProvider;
    readonly method: PaymentMethodInfo;
    readonly direct: Exclude<NonNullable<PaymentProvider['direct']>, { readonly kind: 'account' }>;
    readonly formData: Readonly<Record<string, string>>;
  },
  meta: CommandMeta,
): Promise<number> => {
  const { provider, method, direct, formData } = form;
  const payment = {
    type: 'RecordDirectPayment',
    provider: provider.alias,
    method: method.methodAlias,
    formData,
    holdMinutes: direct.kind === 'promise' ? direct.holdMinutes : null,
  } as const;
  const recorded = await settlement.record(invoiceId, payment, meta);
  return Math.max(recorded.position, await settlement.settle(invoiceId, meta));
};

/** Records a payment that was taken by hand, in production the promise of one, or a sale on account. */
const processDirect =
  (deps: PaymentActionDeps) =>
  async (
    basketId: string | null,
    input: ChosenMethod & {
      readonly invoiceId?: string | null | undefined;
      readonly formData?: Readonly<Record<string, string>> | null | undefined;
    },
    buyer: Buyer,
    meta: CommandMeta,
    onAccountOf: Actor = meta.actor,
  ): Promise<Paid> => {
    const { provider, method } = chosen(deps, input);
    const { direct } = provider;
    if (method.integration !== 'DirectForm' || direct === null) {
      throw new Rejection(
        'invalid-request',
        `providerAlias: ${provider.alias} does not take direct payments.`,
      );
    }
    const formData = trimmed(input.formData ?? {});
    requireFields(method, formData);
    const wanted = { ...buyer, isOnAccount: isOnAccount(provider) };
    const invoiceId =
      input.invoiceId ?? (await deps.apis.checkout.placeOrder(basketId, wanted, meta)).invoiceId;
    await ownInvoice(deps, invoiceId, basketId, meta.actor);
    const position =
      direct.kind === 'account'
        ? await deps.purchaseOrders.sell(invoiceId, formData['purchaseOrderNumber'] ?? '', meta, onAccountOf)
        : await recordForm(deps, invoiceId, { provider, method, direct, formData }, meta);
    return paidInvoice(deps, invoiceId, await ownInvoice(deps, invoiceId, basketId, meta.actor), position);
  };

/** Paying for a basket. A `basketId` of null is a shopper without one. */
export const createPaymentActions = (deps: PaymentActionDeps) => ({
  offeredTo: offeredTo(deps),
  savedOf: savedOf(deps),
  pay: pay(deps),
  payAgain: payAgain(deps),
  /** Errors: `invoice-not-found`, `not-yours`. */
  checkOwner: async (basketId: string | null, invoiceId: string, actor: Actor): Promise<void> =>
    void (await ownInvoice(deps, invoiceId, basketId, actor)),
  processPayment: processPayment(deps),
  processSaved: createProcessSaved(deps),
  processDirect: processDirect(deps),
  ...createManualPayments(deps.settlement),
});

export type PaymentActions = ReturnType<typeof createPaymentActions>;

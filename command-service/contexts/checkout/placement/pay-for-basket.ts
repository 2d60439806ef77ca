import type { CommandMeta } from '#command/engine/command-engine.ts';
import { stepMeta } from '#command/engine/command-meta.ts';
import type { Streams } from '#command/engine/streams.ts';
import type { ContextApis } from '#command/context-apis.ts';
import { defined } from '#kernel/defined.ts';
import type { Goods, OrdersApi } from '../../invoices/invoice.commands.ts';
import { derivedId, newId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import { pause } from '#runtime/back-off.ts';
import { respondWithin, leftOfRequest } from '#runtime/request-deadline.ts';
import {
  emptyBasket,
  orderBeingPlaced,
  warningsOf,
  type BasketState,
  type BasketStreamEvent,
  type PlacedOrder,
} from '../../basket/basket.state.ts';
import { priceIncreased } from './price-increase.ts';
import {
  OrderRefused,
  type Buyer,
  type OrderRefusal,
  type CheckoutApi,
  type PlacedInvoice,
  type StartPlacement,
} from '../checkout.commands.ts';
import { checkoutStream } from '../checkout.stream.ts';
import type { Placements } from './placements.actions.ts';
import type { TaxAuthority } from '../tax-authority.ts';

interface PayForBasketDeps {
  readonly apis: Pick<ContextApis, 'customers' | 'members' | 'upsells'> & {
    readonly orders: OrdersApi;
  };
  readonly streams: Streams;
  readonly placements: Placements;
  /** Says what tax is due, where a provider does. */
  readonly taxes?: Pick<TaxAuthority, 'decide' | 'refresh'>;
  /** What may stand unpaid of a caller. */
  readonly limitsOf: (
    buyer: Pick<Buyer, 'ip' | 'agent'>,
  ) => Pick<StartPlacement, 'openInvoices' | 'largeHolds'>;
  /** Resolves once reference state has reached the head of the log as it is now. */
  readonly reach: () => Promise<void>;
}

const LOOK_EVERY_MILLISECONDS = 50;
/** Of the baskets that one has taken in, whose upsells are asked for. */
const MERGED_LOOKED_AT = 10;

const stillPlacing = (): Rejection =>
  new Rejection('order-being-placed', 'The order is still being placed. Try again in a moment.');

const stateOf = async ({ streams }: PayForBasketDeps, basketId: string): Promise<BasketState> =>
  (await streams.load(checkoutStream, basketId)).state;

const isBehindOther = (error: unknown): boolean =>
  error instanceof Rejection && error.code === 'order-being-placed';

const refuse = async ({ streams }: PayForBasketDeps, basketId: string, why: OrderRefusal): Promise<never> => {
  const { state, position } = await streams.load(checkoutStream, basketId);
  throw new OrderRefused(why, { basketId, basket: state.basket }, position);
};

const outcomeOf = async (
  deps: PayForBasketDeps,
  basketId: string,
  placementId: string,
): Promise<PlacedInvoice> => {
  const { order, failed } = await stateOf(deps, basketId);
  if (failed?.placementId === placementId) return refuse(deps, basketId, failed);
  if (order?.placementId !== placementId) throw stillPlacing();
  return { invoiceId: order.invoiceId, isNew: false, position: 0 };
};

/** Waits for a run in this process to end, however it ends, and no longer than that. */
const atMost = async (milliseconds: number, running: Promise<unknown> | undefined): Promise<void> => {
  const waiting = new AbortController();
  const ended = running?.catch(() => undefined);
  await Promise.race([pause(milliseconds, waiting.signal), ...(ended ? [ended] : [])]);
  waiting.abort();
};

/** Another request, here or in another process, is placing this basket: its outcome is ours too. */
const waitForOther = async (
  deps: PayForBasketDeps,
  basketId: string,
  placementId: string,
  askedAt: number,
): Promise<PlacedInvoice> => {
  for (;;) {
    // A log that is silent is waited for no longer than the other request.
    const { placement } = await respondWithin(leftOfRequest(askedAt), stateOf(deps, basketId), stillPlacing);
    if (placement?.placementId !== placementId) return outcomeOf(deps, basketId, placementId);
    const left = leftOfRequest(askedAt);
    if (left === 0) throw stillPlacing();
    const here = deps.placements.running(placementId);
    await atMost(here ? left : Math.min(left, LOOK_EVERY_MILLISECONDS), here);
  }
};

/** Nothing was placed: the figures have moved, and the shopper is asked first. */
const changed = async (
  deps: PayForBasketDeps,
  basketId: string,
  events: readonly BasketStreamEvent[],
  meta: CommandMeta,
): Promise<never> => {
  await deps.taxes?.refresh(basketId, meta);
  const warnings = warningsOf(events);
  const { code, message } = priceIncreased();
  return refuse(deps, basketId, { code, message: warnings[0] ?? message, details: { warnings } });
};

/** An agent buys for a member, and a shopper has taken the basket over since it was looked at. */
const takenOver = (): Rejection =>
  new Rejection('basket-changed', 'This checkout was taken over meanwhile. Read it and complete it again.');

const isAskedFirst = (error: unknown): boolean =>
  error instanceof Rejection && error.code === priceIncreased().code;

interface Asked extends Buyer {
  /** The invoice of the basket that has been seen not to be due for expiry; null where it was known to have none. */
  readonly seenInvoiceId: string | null;
  /** The same, where staff have edited it. */
  readonly editedInvoiceId?: string;
  /** The signed-in customer; null for a guest, for whom nothing is looked up. */
  readonly customerId: string | null;
  /** The basket, and those whose goods it has taken in. */
  readonly basketIds: readonly string[];
  /** What it may come to hold. */
  readonly goods: Goods;
}

/**
 * Counted at its address from before the decision on, without a gap until reference state counts it: two that are
 * decided in one moment see each other.
 */
const sendStart = async (
  { streams, apis, reach }: PayForBasketDeps,
  command: StartPlacement,
  goods: Goods,
  meta: CommandMeta,
) => {
  const { basketId, invoiceId, openInvoices } = command;
  const forget = openInvoices && apis.orders.expectInvoice(invoiceId, openInvoices, goods);
  // It is in the log, or may be: it is counted here until that has been read.
  const forgetOnceRead = (): void => void (forget && reach().then(forget, forget));
  try {
    const started = await streams.send(checkoutStream, basketId, command, meta);
    const isBegun = started.events.some(({ type }) => type === 'OrderPlacementStarted');
    if (!isBegun) forget?.();
    else if (started.isRepeat) forgetOnceRead();
    return started;
  } catch (error) {
    if (error instanceof Rejection) forget?.();
    else forgetOnceRead();
    throw error;
  }
};

/** Before anything is reserved: a provider of tax that is away fails the order, and nothing else has happened. */
const startOf = async (
  deps: PayForBasketDeps,
  basketId: string,
  asked: Asked,
  placementId: string,
): Promise<StartPlacement> => {
  const { hasAcceptedTerms, wantedCurrency, shown, pages, customerId, isOnAccount } = asked;
  const { editedInvoiceId, mayStayUnknown, source } = asked;
  const invoiceNumbersRevision = await deps.apis.orders.lastNumberRevision();
  const tax = await deps.taxes?.decide(basketId);
  const account = customerId === null ? null : await deps.apis.customers.accountOf(customerId);
  return {
    type: 'StartPlacement',
    placementId,
    invoiceId: derivedId('invoice', placementId),
    basketId,
    ...defined({ tax, account: account ?? undefined, editedInvoiceId, pages, mayStayUnknown, source }),
    shownUpsells: [...(await deps.apis.upsells.impressionsOf(asked.basketIds))],
    isOnAccount: isOnAccount ?? false,
    invoiceNumbersRevision,
    hasAcceptedTerms,
    wantedCurrency,
    shown,
    ...deps.limitsOf(asked),
  };
};

const start = async (
  deps: PayForBasketDeps,
  basketId: string,
  asked: Asked,
  meta: CommandMeta,
): Promise<PlacedInvoice> => {
  const { seenInvoiceId, editedInvoiceId } = asked;
  const placementId = meta.commandId === undefined ? newId() : derivedId('placement', meta.commandId);
  const command = await startOf(deps, basketId, asked, placementId);
  const { invoiceId } = command;
  const started = await sendStart(deps, command, asked.goods, meta).catch((error: unknown) => {
    if (isAskedFirst(error)) return changed(deps, basketId, [], meta);
    throw error;
  });
  const { status, order, placement, failed } = started.state;
  const opening = started.events.find((event) => event.type === 'OrderPlacementStarted');
  if (opening?.type !== 'OrderPlacementStarted') {
    // Another process placed it meanwhile, however long that is ago here.
    if (status === 'awaitingPayment' && order.invoiceId !== seenInvoiceId) throw orderBeingPlaced();
    if (started.events.length === 0 && status === 'awaitingPayment')
      return { invoiceId: order.invoiceId, isNew: false, position: started.position };
    if (!started.isRepeat || meta.commandId === undefined)
      return changed(deps, basketId, started.events, meta);
    // Under this key the shopper was asked before: the second press buys, as a command of its own.
    return start(deps, basketId, asked, { ...meta, commandId: derivedId('asked-before', meta.commandId) });
  }
  if (started.isRepeat && placement?.placementId !== placementId) {
    // It ended long ago; running its steps again could take back what a later placement holds.
    if (failed?.placementId === placementId) return refuse(deps, basketId, failed);
    return { invoiceId, isNew: false, position: started.position };
  }
  const run = started.isRepeat
    ? await deps.placements.resume(basketId, placementId, meta)
    : await deps.placements.drive(basketId, opening.data, meta);
  if (run === null) throw stillPlacing();
  // What edits took for it waits for the end of the placement; the runner goes on where this comes to nothing.
  if (editedInvoiceId !== undefined)
    await deps.apis.orders.clearClosed(editedInvoiceId, stepMeta(meta)).catch(() => undefined);
  if (!run.refusal) return { invoiceId, isNew: true, position: run.position };
  // The basket says more than the refusal: what fell away with it.
  const { failed: why } = await stateOf(deps, basketId);
  return refuse(deps, basketId, why?.placementId === placementId ? why : run.refusal);
};

/** What is known of the basket's last invoice, once it is closed if it has expired. */
const lastInvoice = async (
  { apis }: PayForBasketDeps,
  order: PlacedOrder | null,
  meta: CommandMeta,
): Promise<Pick<Asked, 'seenInvoiceId' | 'editedInvoiceId'>> => {
  if (order === null) return { seenInvoiceId: null };
  const { invoiceId } = order;
  const { isAsMade } = await apis.orders.expireIfDue(invoiceId, stepMeta(meta));
  return { seenInvoiceId: invoiceId, ...(!isAsMade && { editedInvoiceId: invoiceId }) };
};

/** From a basket to an invoice that can be paid: the one that still says what the basket holds, else a new one. */
export const createPayForBasket =
  (deps: PayForBasketDeps): CheckoutApi['placeOrder'] =>
  async (basketId, asked, meta) => {
    if (basketId === null) throw emptyBasket();
    const { askedAt = performance.now() } = meta;
    const { members } = deps.apis;
    const settled =
      asked.memberId === undefined
        ? await members.settle(basketId, meta)
        : await members.identifyBuyer(basketId, asked.memberId, meta);
    // The caller is not the shopper for whom it was priced: show what it costs them.
    if (settled?.state.basket && settled.state.basket.totals.total > settled.before.totals.total)
      return changed(deps, basketId, settled.events, meta);
    for (;;) {
      // A placement that this process does not know of makes the start meet a conflict; one that it knows may be over.
      const known = (await deps.streams.recall(checkoutStream, basketId)).state;
      const { placement, order, basket, merged } = known.placement ? await stateOf(deps, basketId) : known;
      if (placement) return waitForOther(deps, basketId, placement.placementId, askedAt);
      if (asked.memberId !== undefined && basket && basket.memberId !== asked.memberId) throw takenOver();
      const taken = merged.slice(-MERGED_LOOKED_AT).map(({ fromBasketId }) => fromBasketId);
      const basketIds = [basketId, ...taken];
      const customerId = basket?.customerId ?? null;
      const goods = basket?.lines.filter(({ isDigital }) => !isDigital) ?? [];
      const seen = { ...(await lastInvoice(deps, order, meta)), customerId, basketIds, goods };
      try {
        return await start(deps, basketId, { ...asked, ...seen }, meta);
      } catch (error) {
        // Another request came first; when it has ended meanwhile, this one looks at the basket again.
        if (!isBehindOther(error) || leftOfRequest(askedAt) === 0) throw error;
      }
    }
  };

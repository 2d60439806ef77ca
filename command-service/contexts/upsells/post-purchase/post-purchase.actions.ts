import type { CommandMeta } from '#command/engine/command-engine.ts';
import { stepMeta } from '#command/engine/command-meta.ts';
import type { ModuleDeps } from '#command/engine/module.ts';
import { derivedId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { SellableVariant } from '#reference/reference.ts';
import { isKnown, type KnownInvoice } from '../../invoices/invoice.state.ts';
import type {
  BeginPostPurchaseAdd,
  PlannedAddition,
  WantedAddition,
} from '../../invoices/post-purchase/post-purchase.commands.ts';
import type { PostPurchase, PostPurchaseResult } from '../../invoices/post-purchase/post-purchase.state.ts';
import { invoiceStream } from '../../invoices/invoice.stream.ts';
import type { SavedMethodRow } from '../../payment-methods/saved-method.commands.ts';
import { createAddsAfterwards, type AddsAfterwards } from './adds-afterwards.ts';
import type { Suggestion } from '#reference/suggest.ts';

type PostPurchaseDeps = Pick<ModuleDeps, 'streams' | 'reference' | 'apis' | 'clock' | 'runAlone' | 'log'>;

export interface RequestedAddition extends WantedAddition {
  readonly upsellRuleId: string;
  readonly savedPaymentMethodId: string;
  readonly idempotencyKey: string;
}

export interface StandingOffer {
  readonly invoice: KnownInvoice;
  readonly postPurchase: PostPurchase;
  readonly isOver: boolean;
  /** Milliseconds. */
  readonly left: number;
  readonly suggestions: readonly Suggestion[];
  readonly savedMethod: SavedMethodRow | null;
}

export interface AddedAfterwards {
  readonly invoice: KnownInvoice;
  readonly result: Extract<PostPurchaseResult, { readonly kind: 'added' }>;
  readonly position: number;
}

const offerEnded = (): Rejection =>
  new Rejection('offer-ended', 'The time for adding to this order is over.');

const invalid = (message: string): Rejection => new Rejection('invalid-request', message);

const offerOf = (
  { clock }: PostPurchaseDeps,
  { postPurchase }: KnownInvoice,
): { readonly offer: PostPurchase; readonly left: number } | null => {
  if (postPurchase === null) return null;
  const left = postPurchase.isOpen ? Math.max(0, Date.parse(postPurchase.endsAt) - clock.now()) : 0;
  return { offer: postPurchase, left };
};

/** The offers of rules that still exist. */
const suggestionsOf = ({ reference }: PostPurchaseDeps, { offers }: PostPurchase): readonly Suggestion[] =>
  offers.flatMap(({ upsellRuleId, productIds }) => {
    const upsell = reference.upsells.byId(upsellRuleId);
    const products = productIds.flatMap(
      (id): SellableVariant | SellableVariant[] => reference.catalogue.variant(id) ?? [],
    );
    return upsell && products.length > 0 ? [{ upsell, products }] : [];
  });

/** Allows an offered product and its other variants. Errors: `invalid-request`. */
const refuseUnoffered = (
  deps: PostPurchaseDeps,
  offer: PostPurchase,
  productId: string,
  upsellRuleId: string | null,
): void => {
  const rootId = deps.reference.catalogue.variant(productId)?.rootId;
  const offered = suggestionsOf(deps, offer).filter(
    ({ products }) => rootId !== undefined && products.some((product) => product.rootId === rootId),
  );
  if (offered.length === 0) throw invalid('productId: must be a product that is offered for this order.');
  if (upsellRuleId !== null && offered.every(({ upsell }) => upsell.id !== upsellRuleId))
    throw invalid('upsellRuleId: must be the rule that offers the product.');
};

/** Errors: `invalid-request`, `payment-method-expired`. */
const chargeableMethod = async (
  { apis }: PostPurchaseDeps,
  { content: { customerId } }: KnownInvoice,
  methodId: string,
): Promise<Pick<BeginPostPurchaseAdd, 'provider' | 'method' | 'saved'>> => {
  const found = await apis.savedMethods.byId(methodId);
  if (found?.customerId !== customerId)
    throw invalid('savedPaymentMethodId: must be a payment method that you have saved.');
  if (found.isExpired)
    throw new Rejection('payment-method-expired', 'This payment method has expired. Choose another one.');
  const { provider: alias, ids } = found.method;
  const provider = apis.payments.vaultProviders().find((one) => one.alias === alias);
  if (!provider?.charge)
    throw invalid('savedPaymentMethodId: payment methods of this provider cannot be used at the moment.');
  const way =
    provider.methods.find(({ integration }) => integration === 'HostedFields') ?? provider.methods[0];
  return { provider: alias, method: way?.methodAlias ?? alias, saved: { methodId, customerId, ...ids } };
};

/** The same for any order of the add-ons. */
const fingerprintOf = (asked: RequestedAddition): string => {
  const { productId, quantity, upsellRuleId, savedPaymentMethodId, addons } = asked;
  const chosen = addons.map(({ optionId, valueId }) => `${optionId} ${valueId}`).sort();
  return derivedId('post-purchase-wish', productId, quantity, upsellRuleId, savedPaymentMethodId, ...chosen);
};

/** Errors: those of an unavailable addition, which leave the offer open. */
const toBegin = async (
  deps: PostPurchaseDeps,
  invoiceId: string,
  invoice: KnownInvoice,
  asked: RequestedAddition,
  named: { readonly key: string; readonly fingerprint: string },
): Promise<BeginPostPurchaseAdd> => {
  const found = offerOf(deps, invoice);
  if (!found || found.left === 0) throw offerEnded();
  refuseUnoffered(deps, found.offer, asked.productId, asked.upsellRuleId);
  const charged = await chargeableMethod(deps, invoice, asked.savedPaymentMethodId);
  const addId = derivedId('post-purchase-add', invoiceId, named.key, found.offer.tries);
  const { edited, lines, unavailable } = deps.apis.orders.planAddition(invoice, addId, asked);
  if (unavailable) throw new Rejection(unavailable.code, unavailable.message, unavailable.details);
  const { content, difference, stock, changedOrderIds } = edited;
  const amount = content.amounts.total - invoice.content.amounts.total;
  if (amount <= 0) throw invalid('productId: must be a product with a price.');
  return {
    type: 'BeginPostPurchaseAdd',
    ...{ addId, ...named, upsellRuleId: asked.upsellRuleId, ...charged, amount },
    currency: content.currency,
    lineIds: lines.map(({ id }) => id),
    after: invoice.edits,
    ...{ content, difference, stock: stock.map((change) => ({ ...change })) },
    changedOrderIds: [...changedOrderIds],
  };
};

/** Attempts after concurrent edits: the add is worked out again on the changed invoice. */
const ATTEMPTS = 5;

const loadInvoice = async ({ load }: AddsAfterwards, invoiceId: string): Promise<KnownInvoice> => {
  const state = await load(invoiceId);
  if (isKnown(state) && state.status !== 'deleted') return state;
  throw new Rejection('invoice-not-found', 'There is no such invoice.');
};

/** The add under way or over under a key. Errors: `invalid-request` if that was another add. */
const repeatOf = (
  { postPurchase }: KnownInvoice,
  { key, fingerprint }: { readonly key: string; readonly fingerprint: string },
): { readonly addId: string | null } | null => {
  const { add = null, result = null } = postPurchase ?? {};
  const before = [add?.begun, result].find((one) => one?.key === key);
  if (!before) return null;
  if (before.fingerprint !== fingerprint)
    throw invalid('idempotencyKey: must be a key of its own; this one was sent with something else.');
  return { addId: add?.begun.key === key ? add.begun.addId : null };
};

/** Begins an add, once per key. */
const begin = async (
  deps: PostPurchaseDeps,
  adds: AddsAfterwards,
  invoiceId: string,
  asked: RequestedAddition,
  meta: CommandMeta,
): Promise<{ readonly addId: string | null; readonly isBegunHere: boolean }> => {
  const key = derivedId('post-purchase-key', invoiceId, asked.idempotencyKey);
  const named = { key, fingerprint: fingerprintOf(asked) };
  for (let tries = 1; ; tries++) {
    const invoice = await loadInvoice(adds, invoiceId);
    const before = repeatOf(invoice, named);
    if (before) return { ...before, isBegunHere: false };
    const command = await toBegin(deps, invoiceId, invoice, asked, named);
    try {
      const { events } = await deps.streams.send(invoiceStream, invoiceId, command, meta);
      if (events.length > 0) return { addId: command.addId, isBegunHere: true };
    } catch (error) {
      const isToBeTriedAgain = error instanceof Rejection && error.code === 'invoice-edited-meanwhile';
      if (tries === ATTEMPTS || !isToBeTriedAgain) throw error;
    }
  }
};

/** The outcome for the caller under that key. Errors: `add-failed`, `payment-unknown`, `conflict`. */
const outcomeOf = (
  invoiceId: string,
  invoice: KnownInvoice,
  key: string,
  position: number,
): AddedAfterwards => {
  const { result = null, add = null } = invoice.postPurchase ?? {};
  if (result?.key === key && result.kind === 'added') return { invoice, result, position };
  if (result?.key === key && result.kind === 'failed') throw new Rejection('add-failed', result.message);
  if (add?.begun.key !== key)
    throw new Rejection('conflict', 'Nothing was added, and nothing charged. Try again.', { invoiceId });
  throw new Rejection(
    'payment-unknown',
    'It is not known yet whether it was paid for. Ask again under the same key in a moment.',
  );
};

const show =
  (deps: PostPurchaseDeps, adds: AddsAfterwards) =>
  async (invoiceId: string): Promise<StandingOffer> => {
    const invoice = await loadInvoice(adds, invoiceId);
    const found = offerOf(deps, invoice);
    if (!found) throw new Rejection('not-found', 'Nothing is offered for this order.');
    const { offer: postPurchase, left } = found;
    const isOver = left === 0;
    const suggestions = isOver ? [] : suggestionsOf(deps, postPurchase);
    const { customerId } = invoice.content;
    deps.apis.upsells.recordImpressions(
      { location: 'Confirmation', basketId: null, customerId, invoiceId },
      suggestions.map(({ upsell, products }) => ({
        upsellRuleId: upsell.id,
        products: products.map(({ rootId: productRootId, variant: { id: productId } }) => ({
          productId,
          productRootId,
        })),
      })),
    );
    const methods = isOver || customerId === null ? [] : await deps.apis.savedMethods.of(customerId);
    return {
      ...{ invoice, postPurchase, isOver, left },
      suggestions,
      savedMethod: methods.find(({ id }) => id === postPurchase.methodId) ?? null,
    };
  };

/** What is offered after a purchase (docs/rules/post-purchase.md). */
export const createPostPurchase = (deps: PostPurchaseDeps) => {
  const { streams, apis } = deps;
  const adds = createAddsAfterwards(deps);
  return {
    /** Errors: `not-found` if nothing was ever offered. */
    show: show(deps, adds),

    /** Errors: `offer-ended`, `invalid-request`. */
    preview: async (
      invoiceId: string,
      wanted: WantedAddition,
    ): Promise<{ readonly invoice: KnownInvoice; readonly planned: PlannedAddition }> => {
      const invoice = await loadInvoice(adds, invoiceId);
      const found = offerOf(deps, invoice);
      if (!found || found.left === 0) throw offerEnded();
      refuseUnoffered(deps, found.offer, wanted.productId, null);
      return { invoice, planned: apis.orders.planAddition(invoice, invoiceId, wanted) };
    },

    /** Errors: those of an unavailable addition, which leave the offer open; those of `outcomeOf`. */
    add: async (invoiceId: string, asked: RequestedAddition, meta: CommandMeta): Promise<AddedAfterwards> => {
      const { addId, isBegunHere } = await begin(deps, adds, invoiceId, asked, meta);
      const position = addId === null ? 0 : await adds.drive(invoiceId, addId, isBegunHere, stepMeta(meta));
      const key = derivedId('post-purchase-key', invoiceId, asked.idempotencyKey);
      return outcomeOf(invoiceId, await loadInvoice(adds, invoiceId), key, position);
    },

    /** Returns the position reached; harmless if nothing is offered. */
    skip: async (invoiceId: string, meta: CommandMeta): Promise<number> => {
      const command = { type: 'EndPostPurchase', reason: 'skipped' } as const;
      return (await streams.send(invoiceStream, invoiceId, command, meta)).position;
    },

    /** Ends an offer that is over, or continues an add. */
    release: async (invoiceId: string): Promise<void> => {
      const actor = { kind: 'system', id: 'release-holds' } as const;
      const meta = { correlationId: invoiceId, causationId: 'release-holds', actor };
      await adds.resume(invoiceId, meta);
      const command = { type: 'EndPostPurchase', reason: 'expired' } as const;
      await streams.send(invoiceStream, invoiceId, command, meta);
    },
    resume: adds.resume,
    drain: adds.drain,
  };
};

export type PostPurchaseActions = ReturnType<typeof createPostPurchase>;

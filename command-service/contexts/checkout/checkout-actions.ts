import type { PriceSources } from '#command/pricing/basket-prices.ts';
import type { CommandEngine, CommandMeta } from '#command/engine/command-engine.ts';
import { stepMeta } from '#command/engine/request-meta.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import type { EventDecoder } from '#engine/decode-page.ts';
import { derivedId } from '#kernel/ids.ts';
import type { EventStore } from '#ports/event-store.ts';
import { streamOf } from '#values/stream-name.ts';
import type { BasketView } from '#events/basket-view.ts';
import type { InvoiceContent } from '#events/invoice.fields.ts';
import type { CheckoutCommand, ExpireOrder } from './checkout.commands.ts';
import { checkoutContext, type CountOpenInvoices } from './checkout.context.ts';
import { checkoutDecider } from './checkout.decider.ts';
import type { Driver, Placement, Refusal } from './place-order.process.ts';

interface CheckoutActionDeps extends PriceSources {
  readonly commands: CommandEngine;
  readonly store: EventStore;
  readonly codec: EventDecoder;
  readonly countOpenInvoices: CountOpenInvoices;
  readonly keyedHash: CommandDeps['keyedHash'];
  /** Puts units of a product into a basket, which is started for a destination when it is not there yet. */
  readonly addToBasket: (
    basketId: string,
    line: { readonly productId: string; readonly quantity: number },
    startFor: BasketView['destination'],
    meta: CommandMeta,
  ) => Promise<void>;
}

/** The basket that takes what was added to a basket after its invoice had been made: nobody else works out its id. */
export const nextBasketId = (basketId: string, keyedHash: CommandDeps['keyedHash']): string =>
  derivedId('next-basket', keyedHash('next-basket', basketId));

/** Units that are in the basket and not on the invoice. */
const leftovers = (basket: BasketView, content: InvoiceContent) => {
  const bought = new Map<string, number>();
  for (const line of content.orders.flatMap((order) => order.lines)) {
    bought.set(line.productId, (bought.get(line.productId) ?? 0) + line.quantity);
  }
  return basket.lines
    .map(({ productId, quantity }) => ({ productId, quantity: quantity - (bought.get(productId) ?? 0) }))
    .filter(({ quantity }) => quantity > 0);
};

/** Commands to a basket's stream. */
const sender = (deps: CheckoutActionDeps) => {
  const contextFor = checkoutContext(deps);
  return (basketId: string, command: CheckoutCommand, meta: CommandMeta, isProcessStep = false) =>
    deps.commands.execute({
      decider: checkoutDecider,
      id: basketId,
      command,
      context: contextFor(command),
      meta,
      isProcessStep,
    });
};

/** What whoever drives a placement asks of its basket. */
const placementActions = (deps: CheckoutActionDeps, send: ReturnType<typeof sender>) => ({
  /** What a placement was opened with, for whoever resumes it; null once it has ended. */
  openPlacement: async (basketId: string, revision: number): Promise<Placement | null> => {
    const { placement } = (await deps.commands.load(checkoutDecider, basketId)).state;
    const stored = await deps.store.readStream(streamOf.basket(basketId), {
      fromRevision: revision,
      limit: 1,
    });
    const [event] = await deps.codec.decodeAll(stored);
    if (event?.type !== 'OrderPlacementStarted') return null;
    const opening = event.data as Placement;
    return placement?.placementId === opening.placementId ? opening : null;
  },

  /** Takes over a placement that stands still; answers the turn, or null once it has ended. */
  resumePlacement: async (
    basketId: string,
    placementId: string,
    meta: CommandMeta,
  ): Promise<number | null> => {
    const { placement } = (await send(basketId, { type: 'ResumePlacement', placementId }, meta, true)).state;
    return placement?.placementId === placementId ? placement.turn : null;
  },

  completePlacement: async (
    { basketId, placementId, turn }: Driver,
    { invoiceId }: Placement,
    invoiceNumber: string,
    meta: CommandMeta,
  ): Promise<number> => {
    const command = { type: 'CompletePlacement', placementId, turn, invoiceId, invoiceNumber } as const;
    return (await send(basketId, command, meta, true)).position;
  },

  failPlacement: async (
    { basketId, placementId, turn }: Driver,
    refusal: Refusal,
    keepsHolds: boolean,
    meta: CommandMeta,
  ): Promise<number> => {
    const command = { type: 'FailPlacement', placementId, turn, ...refusal, keepsHolds } as const;
    return (await send(basketId, command, meta, true)).position;
  },
});

/** What processes and other contexts may ask of a basket in checkout; `main.ts` hands it on. */
export const createCheckoutActions = (deps: CheckoutActionDeps) => {
  const send = sender(deps);
  const look = (basketId: string) => deps.commands.load(checkoutDecider, basketId);
  const load = async (basketId: string) => (await look(basketId)).state;

  return {
    send,
    load,
    /** The same with the position that it reflects. */
    look,

    ...placementActions(deps, send),

    /** Harmless to repeat. */
    expireOrder: (basketId: string, expired: Omit<ExpireOrder, 'type'>, meta: CommandMeta) =>
      send(basketId, { type: 'ExpireOrder', ...expired }, meta, true),

    /**
     * Closes a basket that was bought. What had been added after the invoice was made was not charged: it goes to the
     * next basket. Closed first, so that nothing is added in between; carried over once, however often this is
     * repeated.
     */
    completeBasket: async (invoiceId: string, content: InvoiceContent, meta: CommandMeta): Promise<void> => {
      const { basketId } = content;
      if (basketId === null) return;
      const { basket } = (await send(basketId, { type: 'CompleteBasket', invoiceId }, meta, true)).state;
      if (!basket) return;
      for (const line of leftovers(basket, content)) {
        const commandId = derivedId('leftover', invoiceId, line.productId);
        await deps.addToBasket(nextBasketId(basketId, deps.keyedHash), line, basket.destination, {
          ...stepMeta(meta),
          commandId,
        });
      }
    },
  };
};

export type CheckoutActions = ReturnType<typeof createCheckoutActions>;

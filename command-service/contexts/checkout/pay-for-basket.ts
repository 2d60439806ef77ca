import type { CommandMeta } from '#command/engine/command-engine.ts';
import { derivedId, newId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import { pause } from '#engine/back-off.ts';
import { presentationOf } from '#contracts/basket-line-answer.ts';
import type { StoreSettings } from '#values/store-settings.ts';
import type { BasketStreamEvent } from '../basket/basket.state.ts';
import type { CheckoutActions } from './checkout-actions.ts';
import { checkoutBasket, warningsOf } from './checkout.response.ts';
import type { Placements } from './place-order.ts';

interface PayForBasketDeps {
  readonly settings: () => StoreSettings;
  readonly checkout: CheckoutActions;
  readonly placements: Placements;
  readonly lastNumberRevision: () => Promise<number>;
  /** How long a second `pay` waits for the first; 10 s of real time. */
  readonly patienceMilliseconds?: number;
}

interface Placed {
  readonly invoiceId: string;
  readonly position: number;
}

const PATIENCE_MILLISECONDS = 10_000;
const LOOK_EVERY_MILLISECONDS = 50;

const stillPlacing = (): Rejection =>
  new Rejection('order-being-placed', 'The order is still being placed. Try again in a moment.');

interface Refused {
  readonly code: string;
  readonly message: string;
  readonly details: object;
}

/** From a basket to an invoice that can be paid: the one that still says what the basket holds, else a new one. */
export const createPayForBasket = (deps: PayForBasketDeps) => {
  const { checkout, placements } = deps;
  const patience = deps.patienceMilliseconds ?? PATIENCE_MILLISECONDS;

  /** The basket goes with a refusal, as it is now: a code may have fallen away. */
  const refuse = async (basketId: string, { code, message, details }: Refused): Promise<never> => {
    const { basket } = await checkout.load(basketId);
    const shown = checkoutBasket(basketId, basket, presentationOf(deps.settings()));
    throw new Rejection(code, message, { ...details, basket: shown });
  };

  const outcomeOf = async (basketId: string, placementId: string): Promise<Placed> => {
    const { unpaidInvoice, failedPlacement } = await checkout.load(basketId);
    if (failedPlacement?.placementId === placementId) return refuse(basketId, failedPlacement);
    if (unpaidInvoice?.placementId === placementId)
      return { invoiceId: unpaidInvoice.invoiceId, position: 0 };
    throw stillPlacing();
  };

  /** Another request, here or in another process, is placing this basket: its outcome is ours too. */
  const waitForOther = async (basketId: string, placementId: string): Promise<Placed> => {
    const deadline = performance.now() + patience;
    for (;;) {
      const { placement } = await checkout.load(basketId);
      if (placement?.placementId !== placementId) return outcomeOf(basketId, placementId);
      const left = deadline - performance.now();
      if (left <= 0) throw stillPlacing();
      const here = placements.running(placementId);
      const wait = pause(here ? left : Math.min(left, LOOK_EVERY_MILLISECONDS));
      await (here ? Promise.race([here.catch(() => undefined), wait]) : wait);
    }
  };

  const changed = (basketId: string, events: readonly BasketStreamEvent[]): Promise<never> => {
    const warnings = warningsOf(events);
    const message =
      warnings[0] ?? 'Prices have changed since the basket was last shown. Look at it and pay again.';
    return refuse(basketId, { code: 'basket-changed', message, details: { warnings } });
  };

  const start = async (basketId: string, hasAcceptedTerms: boolean, meta: CommandMeta): Promise<Placed> => {
    const placementId = meta.commandId === undefined ? newId() : derivedId('placement', meta.commandId);
    const invoiceId = derivedId('invoice', placementId);
    const invoiceNumbersRevision = await deps.lastNumberRevision();
    const started = await checkout.send(
      basketId,
      { type: 'StartPlacement', placementId, invoiceId, basketId, invoiceNumbersRevision, hasAcceptedTerms },
      meta,
    );
    const { unpaidInvoice, placement, failedPlacement } = started.state;
    const opening = started.events.find((event) => event.type === 'OrderPlacementStarted');
    if (opening?.type === 'OrderPlacementStarted') {
      if (started.isRepeat && placement?.placementId !== placementId) {
        // It ended long ago; running its steps again could take back what a later placement holds.
        if (failedPlacement?.placementId === placementId) return refuse(basketId, failedPlacement);
        return { invoiceId, position: started.position };
      }
      const result = await placements.run(basketId, opening.data, meta, started.isRepeat);
      return result.kind === 'placed' ? result : refuse(basketId, result.refusal);
    }
    return started.events.length === 0 && unpaidInvoice?.isCurrent
      ? { invoiceId: unpaidInvoice.invoiceId, position: started.position }
      : changed(basketId, started.events);
  };

  return async (basketId: string, hasAcceptedTerms: boolean, meta: CommandMeta): Promise<Placed> => {
    const before = await checkout.load(basketId);
    if (before.placement) return waitForOther(basketId, before.placement.placementId);
    try {
      return await start(basketId, hasAcceptedTerms, meta);
    } catch (error) {
      const { placement } = await checkout.load(basketId);
      const isBehindOther =
        error instanceof Rejection && error.code === 'order-being-placed' && placement !== null;
      if (!isBehindOther) throw error;
      return waitForOther(basketId, placement.placementId);
    }
  };
};

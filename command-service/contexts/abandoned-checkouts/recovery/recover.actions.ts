import type { CommandMeta } from '#command/engine/command-engine.ts';
import { stepMeta } from '#command/engine/command-meta.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { isoInstant } from '#kernel/clock.ts';
import { memberIdOf } from '#kernel/event.ts';
import { derivedId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import { presentationFor } from '#reference/presentation.ts';
import type { RecoveryTokens } from '#runtime/recovery-tokens.ts';
import { opensTo } from '../../basket/basket.state.ts';
import { basketLinesStream } from '../../basket/basket.stream.ts';
import { checkoutStream } from '../../checkout/checkout.stream.ts';
import type { RestorableBasket } from '../../checkout/checkout.commands.ts';
import type { AbandonedCheckoutsApi, CheckoutWorth } from '../abandoned-checkout.commands.ts';
import { isRecord } from '../abandoned-checkout.state.ts';
import { abandonedCheckouts } from '../abandoned-checkout.stream.ts';
import { leftIn } from '../left-basket.ts';
import { openLink, type Opening } from './open-link.ts';

export interface RecoverDeps extends Pick<
  CommandDeps,
  'streams' | 'apis' | 'clock' | 'settings' | 'reference'
> {
  readonly tokens: RecoveryTokens;
  readonly review: AbandonedCheckoutsApi['review'];
}

/** Who opens a link. */
export interface LinkVisitor {
  /** The basket that opens to them; null: none. */
  readonly basketId: string | null;
  /** Whether their cookie is for this basket, in the name of its member if it has one. */
  readonly holds: (basketId: string, memberId: string | null) => boolean;
}

/** A basket to go back to, and whose address it was left under. */
export interface FoundCheckout extends RestorableBasket {
  readonly opening: Opening;
  readonly recordId: string;
  readonly email: string | null;
}

/** A basket that a shopper is back in. */
export interface RecoveredCheckout extends FoundCheckout {
  /** Of what was recorded for it; 0: nothing was. */
  readonly position: number;
}

/** The same for every link that leads nowhere. */
const invalid = (): Rejection =>
  new Rejection('recovery-link-invalid', 'This link is not valid, or not any more.');

/** As the basket is now, not as it was when it was left. */
const worthOf = async (deps: RecoverDeps, basketId: string): Promise<CheckoutWorth> => {
  const { state } = await deps.streams.load(checkoutStream, basketId);
  if (state.basket === null) throw invalid();
  const left = leftIn(state, (currency) => presentationFor(deps, currency).display);
  const { customerId, email, customerName, figures } = left;
  return { customerId, email, customerName, figures };
};

/** The record that a text names that is no token: there is none. */
const noRecord = derivedId('no abandoned checkout');

/**
 * Shoppers who come back by their link (docs/rules/abandoned-checkouts.md#coming-back). Errors: Rejection
 * `recovery-link-invalid`.
 */
export const createRecovery = (deps: RecoverDeps) => {
  const { streams, apis, clock, tokens, review } = deps;
  /** Whatever is wrong with a token, its record is read and compared: nothing tells how near a guess came. */
  const find = async (token: string, visitor: LinkVisitor): Promise<FoundCheckout | null> => {
    const recordId = tokens.recordIdOf(token) ?? noRecord;
    const { state } = await streams.load(abandonedCheckouts, recordId);
    const issue = isRecord(state) ? state.link.number : 0;
    if (!tokens.isTokenOf(token, { recordId, issue }) || !isRecord(state)) return null;
    const restorable = await apis.checkout.restorable(state.basketId);
    if (restorable === null) return null;
    const holds = (basketId: string): boolean => visitor.holds(basketId, restorable.memberId);
    const opening = openLink(state, holds, clock.now());
    return opening && { ...restorable, opening, recordId, email: state.email };
  };

  const found = async (token: string, visitor: LinkVisitor): Promise<FoundCheckout> => {
    const checkout = await find(token, visitor);
    if (checkout === null) throw invalid();
    return checkout;
  };

  /** What the visitor leaves for the basket; null: nothing, or they are not the member who it opens to. */
  const leftBy = ({ basketId }: LinkVisitor, checkout: FoundCheckout, meta: CommandMeta): string | null =>
    basketId === checkout.opening.basketId || !opensTo(checkout, memberIdOf(meta.actor)) ? null : basketId;

  /** Should the shop's owner object, or an order be under way, it stays: nobody's goods are lost by that. */
  const leave = async (basketId: string, meta: CommandMeta): Promise<void> => {
    try {
      const command = { type: 'ClearBasket', unlessOrdered: true } as const;
      await streams.send(basketLinesStream, basketId, command, stepMeta(meta));
    } catch (error) {
      if (!(error instanceof Rejection)) throw error;
    }
  };

  /** Null: another browser was faster. */
  const use = async (
    { recordId, opening: { basketId, linkNumber } }: FoundCheckout,
    replacedBasketId: string | null,
    meta: CommandMeta,
  ): Promise<number | null> => {
    const worth = await worthOf(deps, basketId);
    const now = isoInstant(clock.now());
    const command = { type: 'RecoverCheckout', linkNumber, replacedBasketId, worth, now } as const;
    try {
      return (await streams.send(abandonedCheckouts, recordId, command, meta)).position;
    } catch (error) {
      if (error instanceof Rejection && error.code === 'recovery-link-invalid') return null;
      throw error;
    }
  };

  return {
    find,
    /** As it would be found, without recording anything. */
    look: found,
    /** Uses the link up. Recorded first, so that of two browsers at once only one leaves its own basket. */
    recover: async (token: string, visitor: LinkVisitor, meta: CommandMeta): Promise<RecoveredCheckout> => {
      const first = await found(token, visitor);
      if (first.opening.isFirst) await review(first.opening.basketId);
      const replaced = leftBy(visitor, first, meta);
      const position = first.opening.isFirst ? await use(first, replaced, meta) : 0;
      const checkout = position === null ? await found(token, visitor) : first;
      // The same visitor has opened it twice at once.
      if (position === null && checkout.opening.isFirst) throw invalid();
      if (replaced !== null) await leave(replaced, meta);
      return { ...checkout, position: position ?? 0 };
    },
  };
};

export type Recovery = ReturnType<typeof createRecovery>;

import {
  abandonedCheckoutEvents,
  type AbandonedCheckoutEvent,
  type RecoveryLink,
} from '#events/abandoned-checkout.events.ts';
import { isoInstant } from '#kernel/clock.ts';
import { decideBy, type Decider } from '#kernel/decider.ts';
import { evolve } from '#kernel/evolution.ts';
import { Rejection } from '#kernel/rejection.ts';
import { nextRecoveryMail } from '#values/abandoned-checkout.ts';
import type {
  AbandonedCheckoutCommand,
  AdvanceCheckout,
  ForgetCheckout,
  CheckoutWorth,
  LeftBehind,
  RecoverCheckout,
  RecoveryLimits,
  RegenerateRecoveryLink,
  ResendRecoveryMail,
  SeenBasket,
} from './abandoned-checkout.commands.ts';
import {
  abandonedCheckoutStream,
  buyerOf,
  isRecord,
  nameOf,
  type AbandonedCheckoutState,
  type CheckoutRecord,
} from './abandoned-checkout.state.ts';
import { abandonmentDueAt, expiryDueAt, mailDueAt } from './recovery-times.ts';

const {
  AbandonedBasketLost,
  CheckoutAbandoned,
  CheckoutConverted,
  CheckoutRecovered,
  CheckoutRecoveryExpired,
  CheckoutResumed,
  RecoveryLinkIssued,
  RecoveryMailRequested,
} = abandonedCheckoutEvents.create;

const DAY = 86_400_000;

const linkAfter = (state: AbandonedCheckoutState, expiryDays: number, now: string): RecoveryLink => ({
  number: isRecord(state) ? state.link.number + 1 : 1,
  issuedAt: now,
  expiresAt: isoInstant(Date.parse(now) + expiryDays * DAY),
});

const isLinkAlive = ({ link }: CheckoutRecord, now: string): boolean => now < link.expiresAt;

const mail = (
  record: CheckoutRecord,
  requestedBy: 'schedule' | 'staff',
  requestedAt: string,
): AbandonedCheckoutEvent => {
  const { abandonedAt, figures, lines } = record;
  const { usedAt: _, ...link } = record.link;
  return RecoveryMailRequested({
    ...nameOf(record),
    ...buyerOf(record),
    ...nextRecoveryMail(record.mailsSent),
    mailsSent: record.mailsSent + 1,
    ...{ requestedBy, requestedAt, abandonedAt, figures, lines: [...lines], link },
  });
};

/** Its shopper has been active in the basket since, without the link or after it. */
const resumed = (
  state: AbandonedCheckoutState,
  seen: SeenBasket,
  { email }: LeftBehind,
): AbandonedCheckoutEvent[] => {
  if (!isRecord(state) || seen.activityRevision <= state.basketRevision) return [];
  // A basket that was cleared is another checkout until it has an e-mail address again.
  if (state.isBasketGone && email === null) return [];
  if (state.status === 'active' && !state.isBasketGone) return [];
  const { lastActivityAt: resumedAt, activityRevision: basketRevision } = seen;
  return [CheckoutResumed({ ...nameOf(state), resumedAt, basketRevision })];
};

const abandoned = (
  state: AbandonedCheckoutState,
  { seen, limits, now }: AdvanceCheckout,
  left: LeftBehind,
): AbandonedCheckoutEvent[] => {
  const isIdle = Date.parse(now) >= abandonmentDueAt(Date.parse(seen.lastActivityAt), limits);
  const canBeMailed = left.email !== null && left.lines.length > 0;
  if ((isRecord(state) && state.status !== 'active') || !isIdle || !canBeMailed) return [];
  const { basketId, openedAt, openedDay, lastActivityAt, revision: basketRevision } = seen;
  const firstAbandonedAt = isRecord(state) ? state.firstAbandonedAt : now;
  return [
    CheckoutAbandoned({
      ...{ basketId, openedAt, openedDay, firstAbandonedAt, lastActivityAt, basketRevision },
      ...left,
      lines: [...left.lines],
      abandonedAt: now,
      isFirst: !isRecord(state),
      mailsSent: isRecord(state) ? state.mailsSent : 0,
      link: linkAfter(state, limits.expiryDays, now),
    }),
  ];
};

/** One at most: the next pass sends the next. None by a link that leads nowhere any more. */
const mailed = (
  state: AbandonedCheckoutState,
  { limits, now }: AdvanceCheckout,
): AbandonedCheckoutEvent[] => {
  if (state.status !== 'abandoned' || state.isBasketGone || !isLinkAlive(state, now)) return [];
  const dueAt = mailDueAt(state, limits);
  return dueAt !== null && Date.parse(now) >= dueAt ? [mail(state, 'schedule', now)] : [];
};

const endedUnbought = (state: AbandonedCheckoutState, expiredAt: string): AbandonedCheckoutEvent[] => {
  if (state.status !== 'abandoned') return [];
  const { figures, hasExpiredBefore } = state;
  return [CheckoutRecoveryExpired({ ...nameOf(state), expiredAt, isFirst: !hasExpiredBefore, figures })];
};

const expired = (
  state: AbandonedCheckoutState,
  limits: RecoveryLimits,
  now: string,
): AbandonedCheckoutEvent[] =>
  state.status === 'abandoned' && Date.parse(now) >= expiryDueAt(state.link, limits)
    ? endedUnbought(state, now)
    : [];

const lost = (state: AbandonedCheckoutState, lostAt: string): AbandonedCheckoutEvent[] =>
  isRecord(state) && !state.isBasketGone && state.status !== 'converted'
    ? [AbandonedBasketLost({ ...nameOf(state), lostAt })]
    : [];

/** From any status, also after the link has expired (docs/rules/abandoned-checkouts.md#conversion). */
const converted = (
  state: AbandonedCheckoutState,
  { invoiceId, sold }: { readonly invoiceId: string; readonly sold: CheckoutWorth },
  convertedAt: string,
): AbandonedCheckoutEvent[] => {
  if (!isRecord(state) || state.status === 'converted') return [];
  const { recoveredAt } = state;
  return [CheckoutConverted({ ...nameOf(state), ...sold, invoiceId, convertedAt, recoveredAt })];
};

type Step = (state: AbandonedCheckoutState) => readonly AbandonedCheckoutEvent[];

/** Steps in turn, each on what the one before has left. */
const inTurn = (from: AbandonedCheckoutState, ...steps: readonly Step[]): AbandonedCheckoutEvent[] => {
  const events: AbandonedCheckoutEvent[] = [];
  let state = from;
  for (const step of steps) {
    const next = step(state);
    events.push(...next);
    for (const event of next) state = evolve(abandonedCheckoutStream.on, state, event);
  }
  return events;
};

/** Its link leads nowhere, no mail is due, and an abandonment ends now (docs/rules/forgetting.md#baskets). */
const forgotten = (
  state: AbandonedCheckoutState,
  { now }: Pick<ForgetCheckout, 'now'>,
): AbandonedCheckoutEvent[] =>
  inTurn(
    state,
    (current) => lost(current, now),
    (current) => endedUnbought(current, now),
  );

const advance = (state: AbandonedCheckoutState, command: AdvanceCheckout): AbandonedCheckoutEvent[] => {
  const { seen, limits, now } = command;
  const { standing } = seen;
  if (state.status === 'converted') return [];
  switch (standing.kind) {
    case 'bought':
      return converted(state, standing, now);
    case 'busy':
    case 'closed':
      return [];
    case 'forgotten':
      return forgotten(state, command);
    case 'gone':
      return inTurn(
        state,
        (current) => lost(current, now),
        (current) => expired(current, limits, now),
      );
    case 'open':
      return inTurn(
        state,
        (current) => resumed(current, seen, standing.left),
        (current) => abandoned(current, command, standing.left),
        (current) => expired(current, limits, now),
        (current) => mailed(current, command),
      );
  }
};

const notAbandoned = (message: string): Rejection => new Rejection('checkout-not-abandoned', message);

/** Errors: Rejection `checkout-not-abandoned`. */
const stillAbandoned = (state: AbandonedCheckoutState): CheckoutRecord => {
  if (state.status !== 'abandoned') throw notAbandoned('Only an abandoned checkout can be won back.');
  if (state.isBasketGone) throw notAbandoned('The basket is gone: there is nothing to go back to.');
  return state;
};

const resend = (
  state: AbandonedCheckoutState,
  { expiryDays, now }: ResendRecoveryMail,
): AbandonedCheckoutEvent[] => {
  const record = stillAbandoned(state);
  if (record.email === null) throw notAbandoned('The checkout has no e-mail address.');
  const fresh = (): readonly AbandonedCheckoutEvent[] => {
    const link = linkAfter(record, expiryDays, now);
    return isLinkAlive(record, now)
      ? []
      : [RecoveryLinkIssued({ ...nameOf(record), link, reason: 'resend' })];
  };
  return inTurn(record, fresh, (current) => [mail(stillAbandoned(current), 'staff', now)]);
};

const regenerate = (
  state: AbandonedCheckoutState,
  { expiryDays, now }: RegenerateRecoveryLink,
): AbandonedCheckoutEvent[] => {
  const record = stillAbandoned(state);
  const link = linkAfter(record, expiryDays, now);
  return [RecoveryLinkIssued({ ...nameOf(record), link, reason: 'regenerate' })];
};

const canBeRecovered = (state: AbandonedCheckoutState, linkNumber: number, now: string): boolean =>
  isRecord(state) &&
  (state.status === 'active' || state.status === 'abandoned' || state.status === 'recovered') &&
  !state.isBasketGone &&
  state.link.number === linkNumber &&
  state.link.usedAt === null &&
  isLinkAlive(state, now);

/** Why a link is not good is not said: guessing one tells nothing. */
const recover = (
  state: AbandonedCheckoutState,
  { linkNumber, replacedBasketId, worth, now }: RecoverCheckout,
): AbandonedCheckoutEvent[] => {
  if (!isRecord(state) || !canBeRecovered(state, linkNumber, now))
    throw new Rejection('recovery-link-invalid', 'This link is not valid any more.');
  return [
    CheckoutRecovered({
      ...nameOf(state),
      ...worth,
      ...{ linkNumber, replacedBasketId, recoveredAt: now },
      isFirst: state.recoveredAt === null,
    }),
  ];
};

const decide = decideBy<AbandonedCheckoutState, AbandonedCheckoutCommand, AbandonedCheckoutEvent, void>({
  AdvanceCheckout: advance,
  ResendRecoveryMail: resend,
  RegenerateRecoveryLink: regenerate,
  RecoverCheckout: recover,
  ForgetCheckout: forgotten,
});

/** What becomes of a checkout that is left behind (docs/rules/abandoned-checkouts.md#states). */
export const abandonedCheckoutDecider: Decider<
  AbandonedCheckoutState,
  AbandonedCheckoutCommand,
  AbandonedCheckoutEvent
> = { ...abandonedCheckoutStream, decide };

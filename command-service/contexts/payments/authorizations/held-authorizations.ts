import { summaryOf, type ShopCheck } from '#command/engine/shop-check.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { Clock } from '#kernel/clock.ts';
import { ChunkedEntries } from '#reference/chunked-entries.ts';
import type { Fold, ReferencePart } from '#reference/reference-part.ts';
import { formatMoney, type Minor } from '#values/money.ts';
import { idOf } from '#values/stream-name.ts';

/** Money that a provider has set aside, and that is neither taken nor let go. */
interface HeldAuthorization {
  readonly invoiceId: string;
  readonly invoiceNumber: string;
  readonly provider: string;
  readonly amount: Minor;
  readonly currency: string;
  /** ISO instants; `expiresAt` is null if the provider does not say. */
  readonly authorizedAt: string;
  readonly expiresAt: string | null;
}

export interface HeldAuthorizations extends ReferencePart {
  /** What expires by `instant`, in milliseconds, or has expired already; first to expire first. */
  expiringBy(instant: number): readonly (readonly [paymentId: string, HeldAuthorization])[];
  /**
   * At most `max` that should have expired, as `invoiceId paymentId`: one whose provider does not say when is taken to
   * last for a week. They are put off until later.
   */
  takeExpired(now: number, max: number): readonly string[];
  count(): number;
}

const LOOKED_UP_EVERY_MILLISECONDS = 60 * 60_000;
const LIKELY_TO_LAST_MILLISECONDS = 7 * 24 * 60 * 60_000;

const saidEnd = ({ expiresAt }: HeldAuthorization): number =>
  expiresAt === null ? Infinity : Date.parse(expiresAt);

const likelyEnd = ({ authorizedAt, expiresAt }: HeldAuthorization): number =>
  expiresAt === null ? Date.parse(authorizedAt) + LIKELY_TO_LAST_MILLISECONDS : Date.parse(expiresAt);

export const createHeldAuthorizations = (): HeldAuthorizations => {
  const held = new Map<string, HeldAuthorization>();
  const entries = new ChunkedEntries<HeldAuthorization>();
  const put = (paymentId: string, authorization: HeldAuthorization): void => {
    held.set(paymentId, authorization);
    entries.set(paymentId, authorization);
  };
  const drop = ({ paymentId }: { readonly paymentId: string }): void => {
    if (!held.delete(paymentId)) return;
    entries.delete(paymentId);
    lookedUp.delete(paymentId);
  };
  const on: Partial<Fold<InvoiceEvent>> = {
    PaymentAuthorized: ({ stream, data }) => {
      const { paymentId, invoiceNumber, provider, amount, currency, authorizedAt, expiresAt } = data;
      const invoiceId = idOf(stream);
      put(paymentId, { invoiceId, invoiceNumber, provider, amount, currency, authorizedAt, expiresAt });
    },
    PaymentCaptured: ({ data }) => drop(data),
    AuthorizationReleased: ({ data }) => drop(data),
  };
  /** When each was looked up last, by this process. */
  const lookedUp = new Map<string, number>();
  const endingBy = (instant: number, endOf: (authorization: HeldAuthorization) => number) =>
    [...held]
      .filter(([, authorization]) => endOf(authorization) <= instant)
      .sort(([, one], [, other]) => endOf(one) - endOf(other));
  return {
    name: 'held-authorizations',
    isBookkeeping: true,
    version: 2,
    on,
    expiringBy: (instant) => endingBy(instant, saidEnd),
    takeExpired: (now, max) => {
      const due = endingBy(now, likelyEnd)
        .filter(([id]) => now - (lookedUp.get(id) ?? -Infinity) >= LOOKED_UP_EVERY_MILLISECONDS)
        .slice(0, max);
      for (const [id] of due) lookedUp.set(id, now);
      return due.map(([id, { invoiceId }]) => `${invoiceId} ${id}`);
    },
    count: () => held.size,
    entries,
    restore: (kept) => {
      for (const [id, authorization] of kept as readonly (readonly [string, HeldAuthorization])[])
        put(id, authorization);
    },
    clear: () => {
      held.clear();
      lookedUp.clear();
    },
  };
};

/** Time enough for staff to see it. */
const WARNED_BEFORE_MILLISECONDS = 2 * 24 * 60 * 60_000;

/** Money that is lost to the shop unless it is captured soon (docs/rules/authorizations.md#time-runs-out). */
export const expiringCheck = (
  authorizations: Pick<HeldAuthorizations, 'expiringBy'>,
  clock: Pick<Clock, 'now'>,
): ShopCheck => ({
  alias: 'authorizations-expiring',
  name: 'Authorisations that expire',
  description: 'Whether money that is only authorised has to be captured soon.',
  icon: 'icon-credit-card',
  sortOrder: 33,
  severity: 'warning',
  summary: summaryOf(
    'authorisation expires within two days, or has expired',
    'authorisations expire within two days, or have expired',
    'No authorisation expires within two days.',
  ),
  *look() {
    const due = authorizations.expiringBy(clock.now() + WARNED_BEFORE_MILLISECONDS);
    for (const [id, { invoiceId, invoiceNumber, provider, amount, currency, expiresAt }] of due)
      yield {
        id,
        name: invoiceNumber,
        description: `${formatMoney(amount, currency)} (${provider}), until ${expiresAt ?? ''}`,
        editPath: `/orders/${invoiceId}`,
        imageUrl: null,
      };
  },
});

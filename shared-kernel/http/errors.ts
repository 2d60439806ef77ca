import { defined } from '#kernel/defined.ts';
import { Rejection } from '#kernel/rejection.ts';
import { EngineUnavailable, StreamDamaged } from '#ports/engine-errors.ts';
import type { CookieToSet, Reply } from './reply.ts';
import type { ErrorForm, Surface } from './surfaces/surface.ts';

export interface ErrorRow {
  readonly status: number;
  /**
   * The same request may succeed later: answered as Retry-After, and never kept as the answer of an idempotency key.
   */
  readonly retryAfterSeconds?: number;
}

const badRequest: ErrorRow = { status: 400 };
const notFound: ErrorRow = { status: 404 };
const conflict: ErrorRow = { status: 409 };
const unprocessable: ErrorRow = { status: 422 };

/** Which status a refusal has: the one table (docs/rules/management.md#refusals). */
const rows = {
  // what was sent
  'invalid-request': badRequest,
  'invalid-json': badRequest,
  'invalid-address': badRequest,
  'body-too-large': { status: 413 },
  'command-too-large': { status: 413 },
  // who asks
  unauthenticated: { status: 401 },
  'wrong-role': { status: 403 },
  forbidden: { status: 403 },
  'not-yours': { status: 403 },
  'origin-not-allowed': { status: 403 },
  'too-many-requests': { status: 429, retryAfterSeconds: 60 },
  'too-busy': { status: 503, retryAfterSeconds: 1 },
  // what there is not
  'not-found': notFound,
  'entity-not-found': notFound,
  'invoice-not-found': notFound,
  'customer-not-found': notFound,
  'method-not-allowed': { status: 405 },
  // baskets
  'product-not-found': badRequest,
  'product-not-purchasable': badRequest,
  'out-of-stock': badRequest,
  'quantity-too-large': badRequest,
  'amount-too-large': badRequest,
  'basket-full': badRequest,
  'add-on-invalid': badRequest,
  'basket-not-found': badRequest,
  'line-not-found': badRequest,
  'line-is-add-on': badRequest,
  'line-is-discount': badRequest,
  'currency-not-available': badRequest,
  // checkout
  'checkout-incomplete': badRequest,
  'account-required': badRequest,
  'discount-not-applicable': badRequest,
  'usage-limit-reached': badRequest,
  'items-unavailable': badRequest,
  'basket-changed': badRequest,
  'shipping-not-selected': badRequest,
  'terms-not-accepted': badRequest,
  'cannot-ship': unprocessable,
  'shipping-incomplete': unprocessable,
  'too-many-open-invoices': { status: 429, retryAfterSeconds: 60 },
  'large-order-waits': badRequest,
  'order-being-placed': { status: 409, retryAfterSeconds: 1 },
  // invoices and payments
  'no-payment-method': badRequest,
  'payment-not-found': notFound,
  'too-many-payment-sessions': conflict,
  'intent-mismatch': conflict,
  'other-currency': badRequest,
  'invoice-already-paid': badRequest,
  'invoice-cancelled': badRequest,
  'invoice-unpaid': badRequest,
  'invoice-deleted': badRequest,
  'sale-not-confirmed': badRequest,
  'status-not-possible': badRequest,
  'invoice-not-editable': badRequest,
  'invoice-edited-meanwhile': conflict,
  'offer-ended': badRequest,
  'offer-taken': badRequest,
  'add-failed': badRequest,
  'refund-not-possible': badRequest,
  'refund-declined': badRequest,
  'account-terms-required': badRequest,
  'credit-limit-exceeded': badRequest,
  'already-on-account': badRequest,
  // saved payment methods
  'payment-method-not-found': notFound,
  'payment-method-refused': badRequest,
  'payment-method-expired': badRequest,
  'too-many-payment-methods': badRequest,
  'payment-unknown': { status: 409, retryAfterSeconds: 10 },
  'callback-under-way': { status: 503, retryAfterSeconds: 5 },
  'rates-unavailable': { status: 500 },
  'provider-unavailable': { status: 503, retryAfterSeconds: 10 },
  'tax-unavailable': { status: 503, retryAfterSeconds: 10 },
  // downloads
  'download-not-found': notFound,
  'download-expired': notFound,
  'download-limit-reached': { status: 403 },
  'download-path-invalid': badRequest,
  'file-not-found': notFound,
  'range-not-satisfiable': { status: 416 },
  'downloads-not-due': badRequest,
  // what stands in the way
  cancelled: badRequest,
  'value-taken': conflict,
  'already-exists': conflict,
  'still-used': conflict,
  'stock-reserved': conflict,
  'stock-below-reserved': conflict,
  'store-currency-fixed': conflict,
  'setting-fixed': conflict,
  'run-over': conflict,
  'run-under-way': conflict,
  conflict: { status: 409, retryAfterSeconds: 1 },
  'idempotency-key-reused': conflict,
  'request-in-progress': { status: 409, retryAfterSeconds: 1 },
  // a view of a release, or of a read store, that is new
  'view-being-filled': { status: 503, retryAfterSeconds: 5 },
  'engine-unavailable': { status: 503, retryAfterSeconds: 5 },
  // written by a newer release, which may be taking over just now
  'unknown-event-type': { status: 503, retryAfterSeconds: 5 },
} as const satisfies Readonly<Record<string, ErrorRow>>;

const table: ReadonlyMap<string, ErrorRow> = new Map(Object.entries(rows));

/** The row of a rejection's code; undefined for a code without a status. */
export const errorRow = (code: string): ErrorRow | undefined => table.get(code);

/** Refusals of what was sent. With the body that a key is for, it is answered as before. */
const refusedBodies: ReadonlySet<string> = new Set([
  'invalid-request',
  'invalid-address',
  'idempotency-key-reused',
]);
/**
 * The same request may mean something else the next time: a yes to what the shopper was asked first, or a try after the
 * owner has set a payment method up.
 */
const askedAgain: ReadonlySet<string> = new Set(['basket-changed', 'no-payment-method']);

/** True when the answer to this error must not be kept under an idempotency key: the next try may fare better. */
export const isNotForKeeping = (error: unknown): boolean => {
  if (!(error instanceof Rejection)) return true;
  const row = errorRow(error.code);
  if (row === undefined || row.retryAfterSeconds !== undefined || row.status >= 500) return true;
  if (row.status === 401 || row.status === 403) return true;
  return askedAgain.has(error.code) || refusedBodies.has(error.code);
};

/** A refusal with header fields of its own (`Allow`, a `Retry-After` that is known better than the table's). */
export class HttpRejection extends Rejection {
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: keyof typeof rows,
    message: string,
    headers: Readonly<Record<string, string>>,
    details: Rejection['details'] = {},
  ) {
    super(code, message, details);
    this.headers = headers;
  }
}

/** A refusal by which the visitor's browser remembers something. */
export class RejectionWithCookies extends Rejection {
  readonly cookies: readonly CookieToSet[];

  constructor(
    { code, message, position }: Rejection,
    details: Rejection['details'],
    cookies: readonly CookieToSet[],
  ) {
    super(code, message, details, position);
    this.cookies = cookies;
  }
}

const engineUnavailable = new Rejection(
  'engine-unavailable',
  'The shop cannot reach its storage at the moment. Please try again shortly.',
);

/**
 * The answer to an error, in the form of its surface. Refusals say why; anything else is a 500 that says nothing but
 * the correlation id, by which the log has it, and the stream of which a part is gone.
 */
export const errorReply = ({ errors }: Surface, error: unknown, correlationId: string): Reply => {
  const refusal = error instanceof EngineUnavailable ? engineUnavailable : error;
  const row = refusal instanceof Rejection ? errorRow(refusal.code) : undefined;
  if (refusal instanceof Rejection && row) return refusalReply(errors, refusal, row, correlationId);
  const message = error instanceof StreamDamaged ? damaged(error) : unforeseen;
  const failure = { status: 500, code: null, message, details: { correlationId }, correlationId };
  return { status: 500, ...errors.write(failure) };
};

const unforeseen = 'Something went wrong on our side. Quote the correlation id when you report it.';

const damaged = ({ stream }: StreamDamaged): string =>
  `Part of what the shop has recorded is missing (${stream}), so nothing was changed. Quote the correlation id when you report it.`;

const refusalReply = (
  form: ErrorForm,
  refusal: Rejection,
  { status, retryAfterSeconds }: ErrorRow,
  correlationId: string,
): Reply => {
  const { code, message, details, position } = refusal;
  const retryAfter = retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) };
  const challenge = status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {};
  const own = refusal instanceof HttpRejection ? refusal.headers : {};
  const { headers, ...written } = form.write({ status, code, message, details, correlationId });
  return {
    status,
    code,
    ...written,
    ...defined({ position }),
    ...(refusal instanceof RejectionWithCookies && { cookies: refusal.cookies }),
    headers: { ...retryAfter, ...challenge, ...own, ...headers },
  };
};

import type { Cookies } from './cookies.ts';
import type { CookieToSet } from './reply.ts';

/** How far along the log a caller has come (docs/architecture.md#reading-what-was-just-written). */
export interface CallerPosition {
  /** The last event that they know of. A query waits until its views reflect it. */
  readonly log: number;
  /** The last one of them that reference state takes. A command, which decides on that, waits for no more. */
  readonly reference: number;
}

/**
 * Storefront and checkout have one each: what a shopper puts into the basket while they pay is not forgotten when the
 * answer to the payment, which may know less, comes last.
 */
export type PositionCookie = 'shop_position' | 'shop_checkout_position';
const cookieNames: readonly PositionCookie[] = ['shop_position', 'shop_checkout_position'];
const cookieSeconds = 10;
const form = /^(\d{1,16})(?:\.(\d{1,16}))?$/;

/** `120.87`, or `120` where both are the same: the form of older releases, and of a single process. */
export const positionText = ({ log, reference }: CallerPosition): string =>
  reference < log ? `${log}.${Math.max(0, reference)}` : String(log);

const parsed = (text: string): CallerPosition | undefined => {
  const [, log, reference = log] = form.exec(text) ?? [];
  return log === undefined ? undefined : { log: Number(log), reference: Number(reference) };
};

const later = (one: CallerPosition, other: CallerPosition): CallerPosition => ({
  log: Math.max(one.log, other.log),
  reference: Math.max(one.reference, other.reference),
});

/** What a request says of it: the header, else what its cookies come to. */
export const positionFrom = (header: string | undefined, cookies: Cookies): CallerPosition | undefined => {
  if (header !== undefined) return parsed(header);
  let latest: CallerPosition | undefined;
  for (const name of cookieNames) {
    const said = cookies[name];
    const position = said === undefined ? undefined : parsed(said);
    if (position) latest = latest ? later(latest, position) : position;
  }
  return latest;
};

/** Lets a browser see what it has just written. */
export const positionCookie = (name: PositionCookie, position: CallerPosition): CookieToSet => ({
  name,
  value: positionText(position),
  maxAgeSeconds: cookieSeconds,
  httpOnly: true,
});

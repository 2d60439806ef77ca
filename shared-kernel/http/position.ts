import type { Cookies } from './cookies.ts';
import type { CookieToSet } from './reply.ts';

/** How far along the log a caller has come (docs/architecture.md#reading-what-was-just-written). */
export interface CallerPosition {
  /** The last event that they know of. A query waits until its views reflect it. */
  readonly log: number;
  /** The last one of them that reference state takes. A command, which decides on that, waits for no more. */
  readonly reference: number;
}

const cookieName = 'shop_position';
const cookieSeconds = 10;
const form = /^(\d{1,16})(?:\.(\d{1,16}))?$/;

/** `120.87`, or `120` where both are the same: the form of older releases, and of a single process. */
export const positionText = ({ log, reference }: CallerPosition): string =>
  reference < log ? `${log}.${Math.max(0, reference)}` : String(log);

/** What a request says of it: the header, else the cookie. */
export const positionFrom = (header: string | undefined, cookies: Cookies): CallerPosition | undefined => {
  const [, log, reference = log] = form.exec(header ?? cookies[cookieName] ?? '') ?? [];
  return log === undefined ? undefined : { log: Number(log), reference: Number(reference) };
};

/** Lets a browser see what it has just written. */
export const positionCookie = (position: CallerPosition): CookieToSet => ({
  name: cookieName,
  value: positionText(position),
  maxAgeSeconds: cookieSeconds,
  httpOnly: true,
});

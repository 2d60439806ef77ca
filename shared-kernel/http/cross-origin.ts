import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import { Rejection } from '#kernel/rejection.ts';
import { bearerOf } from './bearer.ts';
import { isOverHttps } from './request-facts.ts';
import type { Reply } from './reply.ts';
import type { Surface } from './surfaces/surface.ts';

/** What a response tells the browser of a page of another origin. */
export interface CrossOriginAnswer {
  readonly headers: Readonly<Record<string, string>>;
  /** Cookies must be `SameSite=None` to come back from there. */
  readonly isOtherSite: boolean;
}

/** Storefronts that live elsewhere (docs/rules/other-origins.md). */
export interface CrossOrigin {
  /** Null where the response is the same for every page. */
  answerTo(surface: Surface, request: Request): CrossOriginAnswer | null;
  /**
   * The reply to a preflight for a surface that serves storefronts; null for any other request. Throws Rejection
   * `origin-not-allowed`.
   */
  preflight(surface: Surface, request: Pick<IncomingMessage, 'method' | 'headers'>): Reply | null;
  /** The header fields of a response without cookies. */
  headersFor(surface: Surface, origin: string | undefined): CrossOriginAnswer['headers'] | null;
  /**
   * Throws Rejection `origin-not-allowed` where the page of another origin would change something with the cookies of
   * the shopper who looks at it.
   */
  refuseForgery(surface: Surface, request: Request): void;
}

const notAllowed = (): Rejection =>
  new Rejection(
    'origin-not-allowed',
    'This origin may not call the shop. List it in Storefront.AllowedOrigins, exactly as the browser sends it.',
  );

const vary = { Vary: 'Origin' };

const exposed = [
  'Accept-Ranges',
  'Content-Disposition',
  'Content-Range',
  'Location',
  'Retry-After',
  'Tillroll-As-Of',
  'Tillroll-Basket',
  'Tillroll-Lag',
  'Tillroll-Position',
  'X-Correlation-Id',
].join(', ');

const TWO_HOURS = 2 * 3600;

/** The same whatever is asked for: what there is at an address its response says, which the page can read then. */
const allowed = {
  'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, DELETE',
  'Access-Control-Allow-Headers': [
    'Authorization',
    'Content-Type',
    'Idempotency-Key',
    'If-Range',
    'Range',
    'Tillroll-Basket',
    'Tillroll-Position',
    'X-Correlation-Id',
  ].join(', '),
  'Access-Control-Max-Age': String(TWO_HOURS),
};

/** Content types that a form can have: browsers send them without asking first. */
const formTypes: ReadonlySet<string> = new Set([
  '',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'text/plain',
]);

const needsNoPreflight = ({ method, headers }: Request): boolean => {
  const [type = ''] = (headers['content-type'] ?? '').split(';', 1);
  return (
    method === 'POST' &&
    formTypes.has(type.trim().toLowerCase()) &&
    // Browsers add what a person once typed into their own dialog (Basic), and never a bearer.
    bearerOf(headers.authorization) === undefined &&
    headers['tillroll-basket'] === undefined
  );
};

const ownOrigin = (request: Request): string =>
  `${isOverHttps(request) ? 'https' : 'http'}://${request.host}`.toLowerCase();

/** Browsers say it exactly; of older ones the same host is known to be the same site. */
const isOtherSite = (origin: string, request: Request): boolean => {
  const said = request.headers['sec-fetch-site'];
  if (said !== undefined) return said === 'cross-site';
  const [page, own] = [new URL(origin), URL.parse(ownOrigin(request))];
  return page.protocol !== own?.protocol || page.hostname !== own.hostname;
};

/** `own`: the shop's public address, where it has one. */
export const createCrossOrigin = (listed: readonly string[], own: string | null): CrossOrigin => {
  const isListed = new Set(listed);
  const publicOrigin = own === null ? null : new URL(own).origin;
  const isFromElsewhere = (request: Request): boolean => {
    const { origin, 'sec-fetch-site': site } = request.headers;
    if (site === 'same-origin') return false;
    if (origin === undefined) return site === 'cross-site' || site === 'same-site';
    return !isListed.has(origin) && origin !== publicOrigin && origin !== ownOrigin(request);
  };
  const headersFor: CrossOrigin['headersFor'] = (surface, origin) => {
    if (isListed.size === 0 || !surface.servesOtherOrigins) return null;
    if (origin === undefined || !isListed.has(origin)) return vary;
    return {
      ...vary,
      'Access-Control-Allow-Origin': origin,
      'Access-Control-Allow-Credentials': 'true',
      'Access-Control-Expose-Headers': exposed,
    };
  };
  return {
    headersFor,
    answerTo: (surface, request) => {
      const { origin } = request.headers;
      const headers = headersFor(surface, origin);
      return headers && { headers, isOtherSite: headers !== vary && isOtherSite(origin ?? '', request) };
    },
    preflight: (surface, { method, headers }) => {
      const { origin } = headers;
      if (method !== 'OPTIONS' || !surface.servesOtherOrigins) return null;
      if (origin === undefined || headers['access-control-request-method'] === undefined) return null;
      if (!isListed.has(origin)) throw notAllowed();
      return { status: 204, headers: allowed };
    },
    refuseForgery: (surface, request) => {
      if (!surface.servesOtherOrigins || request.headers.cookie === undefined) return;
      if (needsNoPreflight(request) && isFromElsewhere(request)) throw notAllowed();
    },
  };
};

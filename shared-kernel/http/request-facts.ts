import { parse as parseQuery } from 'node:querystring';
import type { Request } from 'express';
import { newId } from '#kernel/ids.ts';
import type { BasketCookies } from './basket-cookie.ts';
import { parseCookies, positionFrom, type Cookies } from './cookies.ts';
import type { RouteRequest } from './route.ts';
import { isFromThisMachine } from './this-machine.ts';

export const pathnameOf = ({ url }: Request): string => {
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
};

export const queryOf = ({ url }: Request): unknown => {
  const start = url.indexOf('?');
  return start < 0 ? {} : { ...parseQuery(url.slice(start + 1)) };
};

const sane = /^[\w.:-]{1,64}$/;

/** The caller's correlation id, if it is one that a log can bear, else a new one. */
export const correlationIdOf = ({ headers }: Request): string => {
  const given = headers['x-correlation-id'];
  return typeof given === 'string' && sane.test(given) ? given : newId();
};

/** True when a browser may be told to send cookies over HTTPS only. A proxy that says so need not be trusted for it. */
export const isOverHttps = (request: Request): boolean =>
  request.secure || request.headers['x-forwarded-proto'] === 'https';

/**
 * True when somebody in between says so whom nobody has named as trusted. Anyone may say so: it must never be worth it
 * by itself.
 */
const isForwardedByStranger = ({ app, headers }: Request): boolean =>
  app.get('trust proxy') === 0 &&
  (headers['x-forwarded-for'] !== undefined || headers['forwarded'] !== undefined);

type Facts = Pick<
  RouteRequest,
  'cookies' | 'basketId' | 'position' | 'ip' | 'isAddressShared' | 'isFromThisMachine' | 'header' | 'baseUrl'
>;

/** What a handler may want to know of a request; each is worked out when it is asked for. */
export const requestFacts = (
  request: Request,
  publicBaseUrl: string | null,
  baskets: BasketCookies,
): Facts => {
  let cookies: Cookies | null = null;
  let basketId: string | null = null;
  return {
    get cookies() {
      return (cookies ??= parseCookies(request.headers.cookie));
    },
    get basketId() {
      return (basketId ??= baskets.read(this.cookies));
    },
    get position() {
      return positionFrom(request.get('tillroll-position'), this.cookies);
    },
    get ip() {
      return request.ip ?? '';
    },
    get isAddressShared() {
      return isForwardedByStranger(request);
    },
    get isFromThisMachine() {
      return isFromThisMachine(request);
    },
    header: (name) => request.get(name),
    get baseUrl() {
      return publicBaseUrl ?? `${request.protocol}://${request.host}`;
    },
  };
};

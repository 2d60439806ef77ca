import { parse as parseQuery } from 'node:querystring';
import type { Request } from 'express';
import type { AgentRequest } from '#agents/agent-request.ts';
import type { RequestMessage } from '#signatures/http-message.ts';
import { newId } from '#kernel/ids.ts';
import { parseCookies, type Cookies } from './cookies.ts';
import { positionFrom, type CallerPosition } from './position.ts';
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
export const correlationIdOf = ({ headers }: Pick<Request, 'headers'>): string => {
  const given = headers['x-correlation-id'];
  return typeof given === 'string' && sane.test(given) ? given : newId();
};

/** True when a browser may be told to send cookies over HTTPS only. A proxy that says so need not be trusted for it. */
export const isOverHttps = (request: Request): boolean =>
  request.secure || request.headers['x-forwarded-proto'] === 'https';

/** What a request says beside its path, its query and its body. */
export interface RequestFacts {
  readonly cookies: Cookies;
  /**
   * The shopper's basket, if it opens to the caller; null when there is none, and for callers that are not shoppers.
   */
  readonly basketId: string | null;
  /** What the caller has seen, and wants to see reflected. */
  readonly position?: CallerPosition | undefined;
  readonly ip: string;
  /** True where the request cannot come from outside in any way. */
  readonly isFromThisMachine?: boolean;
  /** A header field by its name in lower case; undefined where the caller sent none. */
  readonly header: (name: string) => string | undefined;
  /** All header fields by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** It asks what there is, and wants nothing of it. */
  readonly isHead?: boolean;
  /** The bytes of the body as they came, on surfaces that keep them. */
  readonly rawBody?: Buffer | undefined;
  /** The message that its sender may have signed; undefined for a request without a connection. */
  readonly message?: RequestMessage;
  /** Scheme and host for absolute links: those that are set, else those of the request, else this machine's. */
  readonly baseUrl: string;
  /** Where this process has taken the request; undefined for one that came over no connection. */
  readonly takenAt?: { readonly host: string; readonly port: number };
  /** What is known of the agent that asks; undefined for other callers. */
  readonly agent?: AgentRequest;
}

/** As it came: a proxy may pass on whatever its caller has called the protocol. */
const schemeOf = ({ secure }: Request): 'http' | 'https' => (secure ? 'https' : 'http');

const noBytes = Buffer.alloc(0);

/** A name, an IPv4 or a bracketed IPv6 address, with or without a port. */
const hostForm = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/**
 * As the outside has named it; empty where it has not. Several names are none; one with more than a host in it would
 * pass for the path that was signed, and stand in links.
 */
const hostOf = ({ host, headersDistinct }: Request): string =>
  (headersDistinct.host?.length ?? 0) === 1 && hostForm.test(host) ? host : '';

/** Each fact is worked out when it is asked for. Getters of a class: a literal would make nine of them per request. */
class LazyFacts implements RequestFacts {
  readonly #request: Request;
  #baseUrl: string | null;
  #ip: string | null = null;
  #cookies: Cookies | null = null;
  readonly rawBody?: Buffer;
  /** Said once it is known who asks. */
  readonly basketId: string | null = null;

  constructor(request: Request, publicBaseUrl: string | null) {
    this.#request = request;
    this.#baseUrl = publicBaseUrl;
  }

  get cookies(): Cookies {
    return (this.#cookies ??= parseCookies(this.#request.headers.cookie));
  }
  get position(): CallerPosition | undefined {
    return positionFrom(this.#request.get('tillroll-position'), this.cookies);
  }
  get ip(): string {
    return (this.#ip ??= this.#request.ip ?? '');
  }
  get isFromThisMachine(): boolean {
    return isFromThisMachine(this.#request);
  }
  get isHead(): boolean {
    return this.#request.method === 'HEAD';
  }
  get header(): RequestFacts['header'] {
    return (name) => this.#request.get(name);
  }
  get headers(): RequestFacts['headers'] {
    const all = Object.entries(this.#request.headers);
    return Object.fromEntries(all.map(([name, value = '']) => [name, String(value)]));
  }
  get takenAt(): NonNullable<RequestFacts['takenAt']> {
    const { localAddress = '127.0.0.1', localPort = 0 } = this.#request.socket;
    return { host: localAddress, port: localPort };
  }
  get message(): RequestMessage {
    const { method, originalUrl, headersDistinct } = this.#request;
    const url = `${schemeOf(this.#request)}://${hostOf(this.#request)}${originalUrl}`;
    return { method, url, headers: headersDistinct, body: this.rawBody ?? noBytes };
  }
  get baseUrl(): string {
    if (this.#baseUrl !== null) return this.#baseUrl;
    const host = hostOf(this.#request);
    this.#baseUrl =
      host === '' ? `http://localhost:${this.takenAt.port}` : `${schemeOf(this.#request)}://${host}`;
    return this.#baseUrl;
  }
}

/** What a handler may want to know of a request. */
export const requestFacts = (request: Request, publicBaseUrl: string | null): RequestFacts =>
  new LazyFacts(request, publicBaseUrl);

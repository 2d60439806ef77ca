import type { OutgoingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import { BASKET_HEADER, type BasketCookies } from './basket-cookie.ts';
import { serializeCookie } from './cookies.ts';
import type { CrossOriginAnswer } from './cross-origin.ts';
import { positionCookie, positionText } from './position.ts';
import type { FileBody, Reply } from './reply.ts';
import { sendBytes } from './send-file.ts';
import { stopSignalOf } from './server.ts';
import type { Surface } from './surfaces/surface.ts';

/** What an answer carries beside what its route said. */
export interface Sending {
  readonly surface: Surface;
  readonly correlationId: string;
  /** The caller's own id of the request, which comes back. */
  readonly requestId?: string | undefined;
  /** Whether cookies are for HTTPS only. */
  readonly isSecure: boolean;
  /** For a page of another origin. */
  readonly crossOrigin: CrossOriginAnswer | null;
  /** Undefined: anybody may keep the answer, it says nothing of anybody. */
  readonly cacheControl: string | undefined;
  readonly baskets: BasketCookies;
  /** Position of the last event that reference state took here; Infinity where no other process needs to know. */
  readonly referenceTook: number;
}

/**
 * Writes an answer. A text that was serialised before goes out as it is. Throws before anything went out when it
 * cannot be serialised.
 */
export const sendReply = (
  response: Response,
  reply: Reply,
  sending: Sending,
  patienceMs = STALLED_MILLISECONDS,
): void => {
  const { headers, body } = bodyOf(response, reply);
  response.writeHead(reply.status, headersOf({ ...reply, headers }, body, sending));
  response.end(body);
  // A large one is held until it is read.
  if (body.length > LARGE_BODY)
    response.setTimeout(patienceMs, () => {
      if (!response.writableFinished) response.destroy();
    });
};

type TextReply = Required<Pick<Reply, 'headers'>> & { readonly body: string | Buffer };

/** What goes out, and the header fields that say in which form. */
const bodyOf = ({ req }: Response, { shared, text, json, headers = {} }: Reply): TextReply => {
  if (!shared) return { headers, body: text ?? (json === undefined ? '' : JSON.stringify(json)) };
  const varying = { 'Content-Type': 'application/json; charset=utf-8', ...headers, Vary: 'Accept-Encoding' };
  return req.acceptsEncodings('gzip') === 'gzip'
    ? { headers: { ...varying, 'Content-Encoding': 'gzip' }, body: shared.gzip }
    : { headers: varying, body: shared.plain };
};

/** Characters; the kernel takes what is smaller at once. */
const LARGE_BODY = 64 * 1024;

/** So long a caller may take nothing of a stream. */
const STALLED_MILLISECONDS = 60_000;

/**
 * Writes a stream as fast as the caller reads; resolves when it is out. Throws what the stream fails with: before its
 * first bytes nothing went out, later the connection is closed, so that a part never passes for the whole. A caller
 * who goes away, or takes nothing for a minute, stops the stream, and so does HEAD.
 */
export const sendStream = async (
  response: Response,
  stream: Readable,
  reply: Reply,
  sending: Sending,
  patienceMs = STALLED_MILLISECONDS,
): Promise<void> => {
  // The caller may have left while the route was at work.
  let hasLeft = response.closed;
  response.once('close', () => {
    hasLeft ||= !stream.destroyed;
  });
  try {
    const isHead = response.req.method === 'HEAD';
    if (!isHead && !hasLeft) await begun(stream, response);
    if (hasLeft) return;
    response.writeHead(reply.status, headersOf(reply, null, sending));
    if (isHead) response.end();
    else {
      letGoOfStalled(response, patienceMs, () => (hasLeft = true));
      endWithServer(response, reply);
      await pipeline(stream, response);
    }
  } catch (error) {
    if (!hasLeft) throw error;
  } finally {
    stream.destroy();
  }
};

/** Writes a file in the same way, with little memory: see `sendBytes`. */
export const sendFile = async (
  response: Response,
  file: FileBody,
  reply: Reply,
  sending: Sending,
  patienceMs = STALLED_MILLISECONDS,
): Promise<void> =>
  sendBytes(response, file, () => {
    response.writeHead(reply.status, headersOf(reply, null, sending));
    letGoOfStalled(response, patienceMs, () => undefined);
  });

const endWithServer = (response: Response, { endStream }: Reply): void => {
  if (!endStream) return;
  const signal = stopSignalOf(response.req.socket);
  if (signal?.aborted) endStream();
  signal?.addEventListener('abort', endStream);
  response.once('close', () => signal?.removeEventListener('abort', endStream));
};

/** Ends the connection of a caller who takes nothing; a source that takes its time is no fault of theirs. */
const letGoOfStalled = (response: Response, patienceMs: number, tell: () => void): void => {
  response.setTimeout(patienceMs, () => {
    if (!response.writableNeedDrain) return;
    tell();
    response.destroy();
  });
};

/**
 * Takes charge of a stream as soon as its route has returned it: a failure before it is sent is kept in `errored`,
 * instead of ending the process for lack of a listener.
 */
export const takeCharge = (stream: Readable): void => {
  stream.on('error', () => undefined);
};

/** Resolves with the first bytes, at the end, or when the caller has gone; rejects when the stream fails before. */
const begun = (stream: Readable, response: Response): Promise<void> =>
  new Promise((resolve, reject) => {
    if (stream.errored) reject(stream.errored);
    if (stream.closed || stream.readableLength > 0) resolve();
    stream.once('error', reject);
    stream.once('readable', resolve);
    stream.once('close', resolve);
    response.once('close', resolve);
  });

/** `body`: null where its length and kind are not known here. */
const headersOf = (
  reply: Reply,
  body: string | Buffer | null,
  { surface, correlationId, requestId, isSecure, crossOrigin, cacheControl, baskets, referenceTook }: Sending,
): OutgoingHttpHeaders => {
  const headers: OutgoingHttpHeaders = {
    'X-Correlation-Id': correlationId,
    'X-Content-Type-Options': 'nosniff',
  };
  if (requestId !== undefined) headers['Request-Id'] = requestId;
  if (cacheControl !== undefined) headers['Cache-Control'] = cacheControl;
  if (body !== null && body.length > 0) headers['Content-Type'] = 'application/json; charset=utf-8';
  if (body !== null && reply.status !== 204) headers['Content-Length'] = Buffer.byteLength(body);
  const position = reply.position === undefined ? null : { log: reply.position, reference: referenceTook };
  if (position) headers['Tillroll-Position'] = positionText(position);
  if (surface.setsCookies) {
    const scope = { isSecure, isOtherSite: crossOrigin?.isOtherSite ?? false };
    const cookies = reply.cookies?.map((cookie) => serializeCookie(cookie, scope)) ?? [];
    if (position) cookies.push(serializeCookie(positionCookie(surface.positionCookie, position), scope));
    // Last: at the next cookie curl 7.88 would read a deleted one back from its file.
    if (reply.basketId !== undefined) {
      const cookie = baskets.write(reply.basketId, reply.basketOf ?? null);
      cookies.push(serializeCookie(cookie, scope));
      headers[BASKET_HEADER] = cookie.value ?? '';
    }
    if (cookies.length > 0) headers['Set-Cookie'] = cookies;
  }
  Object.assign(headers, reply.headers);
  return crossOrigin ? addCrossOrigin(headers, crossOrigin) : headers;
};

/** A response may depend on more than the origin. */
const addCrossOrigin = (
  headers: OutgoingHttpHeaders,
  { headers: own }: CrossOriginAnswer,
): OutgoingHttpHeaders => {
  const varying = [headers['Vary'], own['Vary']].filter((name) => name !== undefined);
  return Object.assign(headers, own, { Vary: varying.join(', ') });
};

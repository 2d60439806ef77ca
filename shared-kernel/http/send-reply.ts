import type { OutgoingHttpHeaders } from 'node:http';
import type { Response } from 'express';
import type { BasketCookies } from './basket-cookie.ts';
import { positionCookie, serializeCookie } from './cookies.ts';
import type { Reply } from './route.ts';

/** What an answer carries beside what its route said. */
export interface Sending {
  readonly correlationId: string;
  /** Whether cookies are for HTTPS only. */
  readonly isSecure: boolean;
  /** Whether anybody may keep the answer: it says nothing of anybody. */
  readonly isPublic: boolean;
  readonly baskets: BasketCookies;
}

/** Writes an answer. A text that was serialised before goes out as it is. */
export const sendReply = (
  response: Response,
  reply: Reply,
  { correlationId, isSecure, isPublic, baskets }: Sending,
): void => {
  const text = reply.text ?? (reply.json === undefined ? '' : JSON.stringify(reply.json));
  const headers: OutgoingHttpHeaders = {
    'X-Correlation-Id': correlationId,
    'X-Content-Type-Options': 'nosniff',
  };
  if (!isPublic) headers['Cache-Control'] = 'no-store';
  if (text !== '') headers['Content-Type'] = 'application/json; charset=utf-8';
  if (reply.status !== 204) headers['Content-Length'] = Buffer.byteLength(text);
  const cookies = reply.cookies?.map((cookie) => serializeCookie(cookie, isSecure)) ?? [];
  if (reply.basketId !== undefined) cookies.push(serializeCookie(baskets.write(reply.basketId), isSecure));
  if (reply.position !== undefined) {
    headers['Tillroll-Position'] = String(reply.position);
    cookies.push(serializeCookie(positionCookie(reply.position), isSecure));
  }
  if (cookies.length > 0) headers['Set-Cookie'] = cookies;
  response.writeHead(reply.status, Object.assign(headers, reply.headers));
  response.end(text);
};

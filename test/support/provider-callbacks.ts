import { createHash, createHmac } from 'node:crypto';
import { newId } from '#kernel/ids.ts';
import type { ApiResponse, Browser, Request } from './browser.ts';
import type { ShopAt } from './shop.ts';

/** What the sandbox tells, in its own form. */
export interface SandboxEvent {
  readonly id?: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export const SANDBOX_SECRET = 'whsec_sandbox';

const path = (alias: string): string => `/shop/webhooks/payments/${alias}`;

/** The body of an event, with an id of its own unless it names one. */
export const callbackBody = ({ id = `evt_${newId()}`, ...event }: SandboxEvent): string =>
  JSON.stringify({ id, ...event });

/** The signature of bytes, which no clock can make invalid. */
export const plainSignature = (body: string | Buffer, secret = SANDBOX_SECRET) => ({
  'X-Signature': createHmac('sha256', secret).update(body).digest('base64'),
});

/** The signature of bytes at a time, in seconds. */
export const timedSignature = (body: string, seconds: number, secret = SANDBOX_SECRET) => ({
  'X-Webhook-Signature': `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`,
});

/** Sends bytes as the sandbox would. */
export const sendCallback = (
  { base }: Pick<ShopAt | Browser, 'base'>,
  caller: Browser,
  body: string,
  headers: Readonly<Record<string, string>> = plainSignature(body),
  alias = 'sandbox',
): Promise<ApiResponse> => {
  if (base !== caller.base) throw new TypeError('the caller is at another shop');
  return caller.call('POST', path(alias), body, { ...headers });
};

/** Tells a shop of an event. */
export const sendEvent = (caller: Browser, event: SandboxEvent): Promise<ApiResponse> =>
  sendCallback(caller, caller, callbackBody(event));

/** The id of an event that has none of its own. */
export const hashOf = (body: string): string => createHash('sha256').update(body).digest('hex');

/** The same as a request, for those who send it themselves. */
export const callbackRequest = (event: SandboxEvent): Request => {
  const body = callbackBody(event);
  return { method: 'POST', path: path('sandbox'), body, headers: plainSignature(body) };
};

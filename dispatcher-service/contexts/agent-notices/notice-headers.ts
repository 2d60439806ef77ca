import { signDetached } from '#signatures/detached-jws.ts';
import { signMessage } from '#signatures/sign-message.ts';
import type { Signer } from '#agents/own-keys.ts';
import type { AgentNotice } from '#topics/agent-notice.ts';

/** Header fields of a request by name. */
export type NoticeHeaders = Readonly<Record<string, string>>;

type Told = Pick<AgentNotice, '_id' | 'eventType' | 'occurredAt' | 'dialect' | 'targetUrl'>;

const signed = (url: URL): readonly string[] => [
  ...['@method', '@authority', '@path', ...(url.search === '' ? [] : ['@query'])],
  ...['ucp-agent', 'idempotency-key', 'content-digest', 'content-type', 'webhook-id', 'webhook-timestamp'],
];

/** The same on every attempt. `shopUrl`: where agents find the shop's manifest, and its keys. */
const ownHeaders = ({ _id, eventType, occurredAt }: Told, shopUrl: string): NoticeHeaders => ({
  'Content-Type': 'application/json',
  'UCP-Agent': `profile="${shopUrl}/.well-known/ucp"`,
  'Webhook-Id': _id,
  'Webhook-Timestamp': String(Math.floor(Date.parse(occurredAt) / 1000)),
  'Idempotency-Key': _id,
  'X-Event-Type': eventType,
  'User-Agent': 'Service-UCP/1.0',
});

const inLowerCase = (headers: NoticeHeaders): NoticeHeaders =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/**
 * All header fields of one attempt, which is signed as its dialect has it (docs/rules/agent-notices.md#headers).
 * `at`: the shop's time in milliseconds.
 */
export const noticeHeaders = (
  notice: Told,
  body: Buffer,
  { shopUrl, signer, at }: { readonly shopUrl: string; readonly signer: Signer; readonly at: number },
): NoticeHeaders => {
  const own = ownHeaders(notice, shopUrl);
  if (notice.dialect === '2026-01-11') return { ...own, 'Request-Signature': signDetached(body, signer) };
  const url = new URL(notice.targetUrl);
  const message = { method: 'POST', url: url.href, headers: inLowerCase(own), body };
  return { ...own, ...signMessage(message, signed(url), signer, { at }) };
};

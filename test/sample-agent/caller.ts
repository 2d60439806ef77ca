import type { AgentKey } from './keys.ts';
import type { Version } from './options.ts';
import type { ShopKeys } from './shop-keys.ts';
import { signBody, signRequest, verifyBody, verifySignature, type Verdict } from './signatures.ts';
import type { Transcript } from './transcript.ts';

/** An answer, its body read as JSON. */
export interface Answer<Body = Record<string, unknown>> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body;
}

export interface Asked {
  readonly body?: unknown;
  /** What goes out in place of the body that was signed: as if it had been changed on its way. */
  readonly forged?: unknown;
  readonly idempotencyKey?: string;
  /** For people. */
  readonly why?: string;
}

export interface CallerOptions {
  readonly version: Version;
  readonly key: AgentKey;
  readonly profileUrl: string;
  readonly shopKeys: ShopKeys;
  readonly transcript: Transcript;
  /** Of a member who has linked this agent; null: none. */
  readonly bearer: () => string | null;
}

/** Signs every request and verifies every answer. */
export interface Caller {
  ask<Body>(method: string, url: string, asked?: Asked): Promise<Answer<Body>>;
}

/** Answers that a shop signs. */
const signedPaths = /\/(checkout-sessions|carts|orders)(\/|$)/;
const neededOfAnswers = ['@status', 'content-digest', 'content-type'];

const bytesOf = (body: unknown): Buffer =>
  body === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(body));

const textOf = (body: unknown): string => {
  const { code, content, messages } = body as {
    code?: string;
    content?: string;
    messages?: { code: string; content: string }[];
  };
  const first = messages?.[0];
  if (first) return `: ${first.code}, ${first.content}`;
  return code === undefined ? '' : `: ${code}, ${content}`;
};

export const createCaller = (options: CallerOptions): Caller => {
  const { version, key, profileUrl, shopKeys, transcript, bearer } = options;

  const headersOf = (method: string, url: URL, body: Buffer, idempotencyKey?: string) => {
    const token = bearer();
    const headers: Record<string, string> = {
      'accept-encoding': 'identity',
      'ucp-agent': `profile="${profileUrl}", version="${version}"`,
      ...(body.length > 0 && { 'content-type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      ...(token !== null && { authorization: `Bearer ${token}` }),
    };
    if (version === '2026-01-11') return { ...headers, 'request-signature': signBody(body, key) };
    return { ...headers, ...signRequest({ method, url, headers, body }, key) };
  };

  const verdictOn = (
    status: number,
    headers: Readonly<Record<string, string>>,
    body: Buffer,
  ): Promise<Verdict> =>
    shopKeys.verify((keys) =>
      version === '2026-01-11'
        ? verifyBody(headers['request-signature'], body, keys)
        : verifySignature({ status, headers, body }, keys, neededOfAnswers),
    );

  return {
    ask: async <Body>(method: string, address: string, asked: Asked = {}): Promise<Answer<Body>> => {
      const url = new URL(address);
      const body = bytesOf(asked.body);
      const headers = headersOf(method, url, body, asked.idempotencyKey);
      const sent = asked.forged === undefined ? body : bytesOf(asked.forged);
      const response = await fetch(url, { method, headers, ...(sent.length > 0 && { body: sent }) });
      const bytes = Buffer.from(await response.arrayBuffer());
      const answered = Object.fromEntries(response.headers);
      const isSigned = response.ok && signedPaths.test(url.pathname);
      const verdict = isSigned ? await verdictOn(response.status, answered, bytes) : null;
      const read = JSON.parse(bytes.toString() || '{}') as Body;
      const why = asked.why === undefined ? '' : ` (${asked.why})`;
      const refusal = response.ok ? '' : textOf(read);
      transcript.exchange(`${method} ${address}${why}`, `${response.status}${refusal}`, verdict);
      return { status: response.status, headers: answered, body: read };
    },
  };
};

import { createHash } from 'node:crypto';
import { isSignedBy, type AgentKey, type PublishedKey } from './keys.ts';

/** What is signed of a message: header names in lower case. */
export interface Message {
  readonly method?: string;
  readonly url?: URL;
  readonly status?: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** `unsigned`: there is nothing to verify. */
export type Verdict =
  | { readonly kind: 'verified'; readonly kid: string }
  | { readonly kind: 'unsigned' }
  | { readonly kind: 'wrong'; readonly why: string };

const wrong = (why: string): Verdict => ({ kind: 'wrong', why });

export const contentDigest = (body: Buffer): string =>
  `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;

const component = ({ method, url, status, headers }: Message, name: string): string => {
  switch (name) {
    case '@method':
      return method ?? '';
    case '@authority':
      return url?.host ?? '';
    case '@path':
      return url?.pathname ?? '';
    case '@query':
      return url?.search ?? '';
    case '@status':
      return String(status);
    default:
      return headers[name] ?? '';
  }
};

/** RFC 9421, section 2.5: a line for each covered component, then the parameters. */
const signatureBase = (message: Message, names: readonly string[], parameters: string): Buffer =>
  Buffer.from(
    [
      ...names.map((name) => `"${name}": ${component(message, name)}`),
      `"@signature-params": ${parameters}`,
    ].join('\n'),
    'latin1',
  );

/** The headers that sign a request by RFC 9421. */
export const signRequest = (request: Message, key: AgentKey): Record<string, string> => {
  const { headers, body, url } = request;
  const digest = body.length > 0 ? { 'content-digest': contentDigest(body) } : {};
  const names = [
    ...['@method', '@authority', '@path'],
    ...(url?.search ? ['@query'] : []),
    ...['ucp-agent', 'idempotency-key', 'authorization'].filter((name) => name in headers),
    ...(body.length > 0 ? ['content-digest', 'content-type'] : []),
  ];
  const created = Math.floor(Date.now() / 1000);
  const quoted = names.map((name) => `"${name}"`).join(' ');
  const parameters = `(${quoted});created=${created};keyid="${key.kid}"`;
  const signed = { ...request, headers: { ...headers, ...digest } };
  const signature = key.sign(signatureBase(signed, names, parameters)).toString('base64');
  return { ...digest, 'signature-input': `sig1=${parameters}`, signature: `sig1=:${signature}:` };
};

const OLDEST_SECONDS = 300;

/** Whether a message is signed (RFC 9421) by one of these keys, over at least the components that are needed. */
export const verifySignature = (
  message: Message,
  keys: readonly PublishedKey[],
  needed: readonly string[],
): Verdict => {
  const { headers, body } = message;
  const input = headers['signature-input'];
  if (input === undefined || headers['signature'] === undefined) return { kind: 'unsigned' };
  const [, label = '', parameters = '', list = ''] = /^([\w-]+)=(\(([^)]*)\).*)$/.exec(input) ?? [];
  const names = [...list.matchAll(/"([^"]+)"/g)].map(([, name = '']) => name);
  const [, kid = ''] = /;keyid="([^"]+)"/.exec(parameters) ?? [];
  const [, created = '0'] = /;created=(\d+)/.exec(parameters) ?? [];
  const [, encoded = ''] = new RegExp(`(?:^|,\\s*)${label}=:([^:]+):`).exec(headers['signature']) ?? [];
  const missing = needed.filter((name) => !names.includes(name));
  if (missing.length > 0) return wrong(`it does not cover ${missing.join(', ')}`);
  if (names.includes('content-digest') && headers['content-digest'] !== contentDigest(body))
    return wrong('the digest is of another body');
  if (Math.abs(Date.now() / 1000 - Number(created)) > OLDEST_SECONDS) return wrong('it is too old');
  const key = keys.find((one) => one.kid === kid);
  if (!key) return wrong(`the shop publishes no key ${kid}`);
  const bytes = signatureBase(message, names, parameters);
  return isSignedBy(key, bytes, Buffer.from(encoded, 'base64'))
    ? { kind: 'verified', kid }
    : wrong('it is not that of the key over this message');
};

const base64url = (text: string): string => Buffer.from(text).toString('base64url');

/** The older version: a JWS whose payload is the body as it is (RFC 7797), without that body. */
export const signBody = (body: Buffer, key: AgentKey): string => {
  const header = base64url(JSON.stringify({ alg: 'ES256', kid: key.kid, b64: false, crit: ['b64'] }));
  return `${header}..${key.sign(Buffer.concat([Buffer.from(`${header}.`), body])).toString('base64url')}`;
};

export const verifyBody = (jws: string | undefined, body: Buffer, keys: readonly PublishedKey[]): Verdict => {
  if (jws === undefined) return { kind: 'unsigned' };
  const [header = '', payload, signature = ''] = jws.split('.');
  const { alg, kid, b64 } = JSON.parse(Buffer.from(header, 'base64url').toString()) as Record<
    string,
    unknown
  >;
  if (payload !== '' || alg !== 'ES256' || b64 !== false) return wrong('it is no detached JWS by ES256');
  const key = keys.find((one) => one.kid === kid);
  if (!key) return wrong(`the shop publishes no key ${String(kid)}`);
  const bytes = Buffer.concat([Buffer.from(`${header}.`), body]);
  return isSignedBy(key, bytes, Buffer.from(signature, 'base64url'))
    ? { kind: 'verified', kid: key.kid }
    : wrong('it is not that of the key over this body');
};

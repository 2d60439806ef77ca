/**
 * Header fields that a subscription may not set: we set them, or the connection does
 * (docs/rules/webhooks.md#credentials).
 */
const reserved: ReadonlySet<string> = new Set([
  'authorization',
  'content-type',
  'content-length',
  'content-encoding',
  'host',
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'te',
  'trailer',
  'upgrade',
  'expect',
  'accept-encoding',
  'user-agent',
]);

/** True for a field that is dropped without a word when a subscription names it. */
export const isReservedHeader = (name: string): boolean => {
  const lower = name.toLowerCase();
  return reserved.has(lower) || lower.startsWith('x-service-');
};

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Printable ASCII and tabs: nothing that could begin another line, nothing that a receiver would read differently. */
const fieldValue = /^[\t\x20-\x7e]*$/;

export const isHeaderName = (name: string): boolean => token.test(name);
export const isHeaderValue = (value: string): boolean => fieldValue.test(value);

type Headers = Readonly<Record<string, string>>;

/** Stands for a value that is not shown; sent back, it keeps the value that is there. */
export const MASK = '***';

/** The names of header fields, with nothing of their values. */
export const maskedHeaders = (headers: Headers): Record<string, string> =>
  Object.fromEntries(Object.keys(headers).map((name) => [name, MASK]));

/** What we say of every delivery ourselves, to every subscriber. */
const open: ReadonlySet<string> = new Set([
  'content-type',
  'user-agent',
  'x-service-topic',
  'x-service-timestamp',
  'x-service-delivery-id',
  'x-service-test',
]);

/** Open as far as they repeat those: without `standardWebhooks` a subscriber may have set them. */
const repeating: ReadonlySet<string> = new Set(['webhook-id', 'webhook-timestamp']);

/** The header fields of a request as they may be kept and shown: signatures and what a subscriber set are secrets. */
export const withoutSecrets = (headers: Headers): Headers => {
  const fields = Object.entries(headers);
  const said = fields.flatMap(([name, value]) => (open.has(name.toLowerCase()) ? [value] : []));
  const isShown = (name: string, value: string): boolean =>
    open.has(name) || (repeating.has(name) && said.includes(value));
  return Object.fromEntries(
    fields.map(([name, value]) => [name, isShown(name.toLowerCase(), value) ? value : MASK]),
  );
};

/** Puts the values that are there in the place of masks. Names of masks that stand for nothing: `unknown`. */
export const unmaskedHeaders = (
  given: Headers,
  before: Headers,
): { readonly headers: Record<string, string>; readonly unknown: readonly string[] } => {
  const known = new Map(Object.entries(before).map(([name, value]) => [name.toLowerCase(), value]));
  const headers: Record<string, string> = {};
  const unknown: string[] = [];
  for (const [name, value] of Object.entries(given)) {
    const kept = value === MASK ? known.get(name.toLowerCase()) : value;
    if (kept === undefined) unknown.push(name);
    else headers[name] = kept;
  }
  return { headers, unknown };
};

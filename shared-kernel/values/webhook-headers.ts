/** Header fields that a subscription may not set: we set them, or the connection does (decisions, backoffice 1.2). */
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

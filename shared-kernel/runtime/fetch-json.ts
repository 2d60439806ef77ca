import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { ResolvedTarget } from './check-target.ts';

/** Checks an address: a connection goes to one of the IP addresses that it answers, whatever its name says later. */
export type CheckAddress = (address: string) => Promise<ResolvedTarget>;

export interface Limits {
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

/** Why there is no document, for staff. */
export class NotFetched extends Error {
  override readonly name = 'NotFetched';
  /** What was answered instead of 200; null where nothing was. */
  readonly status: number | null;

  constructor(message: string, status: number | null = null) {
    super(message);
    this.status = status;
  }
}

const open = (url: URL, address: string, signal: AbortSignal): ClientRequest => {
  const isSecure = url.protocol === 'https:';
  // The host is the checked address; the certificate is held against the name, which stands in the Host field.
  const options = {
    method: 'GET',
    host: address,
    port: url.port === '' ? (isSecure ? 443 : 80) : Number(url.port),
    path: `${url.pathname}${url.search}`,
    headers: { Host: url.host, Accept: 'application/json, */*;q=0.5', 'Accept-Encoding': 'identity' },
    agent: false,
    signal,
  } as const;
  return isSecure ? httpsRequest(options) : httpRequest(options);
};

const textOf = async (incoming: IncomingMessage, maxBytes: number): Promise<string> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new NotFetched(`its answer is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};

const get = (url: URL, address: string, maxBytes: number, signal: AbortSignal): Promise<string> =>
  new Promise((resolve, reject) => {
    const outgoing = open(url, address, signal);
    outgoing.on('error', reject);
    outgoing.on('upgrade', (_, socket) => {
      socket.destroy();
      reject(new NotFetched('it answered with another protocol'));
    });
    outgoing.on('response', (incoming) => {
      const { statusCode } = incoming;
      const text =
        statusCode === 200
          ? textOf(incoming, maxBytes)
          : Promise.reject(new NotFetched(`it answered ${statusCode}`, statusCode ?? null));
      text.then(resolve, reject).finally(() => outgoing.destroy());
    });
    outgoing.end();
  });

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException | null)?.code ?? 'unknown reason';

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new NotFetched('its answer is not JSON');
  }
};

const orAborted = <Result>(promise: Promise<Result>, signal: AbortSignal): Promise<Result> =>
  new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new NotFetched('it took too long')), { once: true });
    promise.then(resolve, reject);
  });

/**
 * One GET, bounded in time (end to end) and bytes, without following redirects or inflating anything. Errors:
 * `NotFetched` with a reason that may be told as it is.
 */
export const fetchText = async (
  address: string,
  check: CheckAddress,
  { timeoutMs, maxBytes }: Limits,
): Promise<string> => {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), timeoutMs);
  const { signal } = deadline;
  try {
    const checked = await orAborted(check(address), signal);
    if (checked.kind !== 'allowed') throw new NotFetched(`its address cannot be used: ${checked.reason}`);
    const [first = ''] = checked.addresses;
    return await orAborted(get(checked.url, first, maxBytes, signal), signal);
  } catch (error) {
    if (error instanceof NotFetched) throw error;
    throw new NotFetched(`the connection failed (${codeOf(error)})`);
  } finally {
    clearTimeout(timer);
    deadline.abort();
  }
};

/** The same for a document in JSON. */
export const fetchJson = async (address: string, check: CheckAddress, limits: Limits): Promise<unknown> =>
  parsed(await fetchText(address, check, limits));

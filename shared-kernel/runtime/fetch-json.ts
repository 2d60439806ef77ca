import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { ResolvedTarget } from './check-target.ts';

/** Checks an address. Connections go to one of the checked IP addresses, whatever the name resolves to later. */
export type CheckAddress = (address: string) => Promise<ResolvedTarget>;

export interface Limits {
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

/** Says why there is no document, for staff. */
export class NotFetched extends Error {
  override readonly name = 'NotFetched';
  /** The status other than 200; null if there was no answer. */
  readonly status: number | null;

  constructor(message: string, status: number | null = null) {
    super(message);
    this.status = status;
  }
}

export interface JsonRequest {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  /** Null: none. */
  readonly body: string | null;
}

/** The response; if it is no success, its body only up to the limit. */
export interface JsonResponse {
  readonly status: number;
  readonly text: string;
}

/** `base` with a path and further query parameters; its own query stays. Errors: `NotFetched` if it is no address. */
export const addressBelow = (
  base: string,
  path: string,
  query: Readonly<Record<string, string | null>> = {},
): string => {
  if (!URL.canParse(base)) throw new NotFetched('no address of it is set');
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}${path}`;
  for (const [name, value] of Object.entries(query)) if (value !== null) url.searchParams.set(name, value);
  return url.href;
};

const open = (
  url: URL,
  address: string,
  { method, headers }: JsonRequest,
  signal: AbortSignal,
): ClientRequest => {
  const isSecure = url.protocol === 'https:';
  // Connects to the checked IP address; certificate and Host field use the name.
  const options = {
    method,
    host: address,
    port: url.port === '' ? (isSecure ? 443 : 80) : Number(url.port),
    path: `${url.pathname}${url.search}`,
    headers: { Host: url.host, ...headers, 'Accept-Encoding': 'identity' },
    agent: false,
    signal,
  } as const;
  return isSecure ? httpsRequest(options) : httpRequest(options);
};

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

const textOf = async (incoming: IncomingMessage, maxBytes: number): Promise<string> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      if (!isSuccess(incoming.statusCode ?? 0)) break;
      throw new NotFetched(`its answer is larger than ${maxBytes} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};

const exchange = (
  url: URL,
  address: string,
  asked: JsonRequest,
  maxBytes: number,
  signal: AbortSignal,
): Promise<JsonResponse> =>
  new Promise((resolve, reject) => {
    const outgoing = open(url, address, asked, signal);
    outgoing.on('error', reject);
    outgoing.on('upgrade', (_, socket) => {
      socket.destroy();
      reject(new NotFetched('it answered with another protocol'));
    });
    outgoing.on('response', (incoming) => {
      const { statusCode: status = 0 } = incoming;
      textOf(incoming, maxBytes)
        .then((text) => ({ status, text }))
        .then(resolve, reject)
        .finally(() => outgoing.destroy());
    });
    outgoing.end(asked.body ?? undefined);
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
 * One request, bounded in time (end to end) and bytes, without following redirects or inflating anything. Errors:
 * `NotFetched`, with a reason fit to show, if there is no readable response.
 */
export const callOut = async (
  address: string,
  check: CheckAddress,
  { timeoutMs, maxBytes }: Limits,
  asked: JsonRequest,
): Promise<JsonResponse> => {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), timeoutMs);
  const { signal } = deadline;
  try {
    const checked = await orAborted(check(address), signal);
    if (checked.kind !== 'allowed') throw new NotFetched(`its address cannot be used: ${checked.reason}`);
    const [first = ''] = checked.addresses;
    return await orAborted(exchange(checked.url, first, asked, maxBytes, signal), signal);
  } catch (error) {
    if (error instanceof NotFetched) throw error;
    throw new NotFetched(`the connection failed (${codeOf(error)})`);
  } finally {
    clearTimeout(timer);
    deadline.abort();
  }
};

const plainGet: JsonRequest = {
  method: 'GET',
  headers: { Accept: 'application/json, */*;q=0.5' },
  body: null,
};

/** One GET of a document. Errors: `NotFetched` for any status but 200. */
export const fetchText = async (address: string, check: CheckAddress, limits: Limits): Promise<string> => {
  const { status, text } = await callOut(address, check, limits, plainGet);
  if (status !== 200) throw new NotFetched(`it answered ${status}`, status);
  return text;
};

/** The same for a document in JSON. */
export const fetchJson = async (address: string, check: CheckAddress, limits: Limits): Promise<unknown> =>
  parsed(await fetchText(address, check, limits));

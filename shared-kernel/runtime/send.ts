import {
  Agent as HttpAgent,
  request as httpRequest,
  type ClientRequest,
  type IncomingMessage,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { OutgoingRequest, Sender, SendOutcome } from '#ports/sender.ts';
import type { TargetPolicy } from '#values/target-address.ts';
import { checkTarget, type ResolveHost } from './check-target.ts';

export interface SenderOptions {
  readonly policy: TargetPolicy;
  readonly resolve: ResolveHost;
  /** What an answer has beyond this is not read. Default: 64 KiB. */
  readonly maxResponseBytes?: number;
}

/** How the error of an outcome begins where the address itself was refused (docs/rules/webhooks.md#targets). */
export const targetNotAllowed = 'Target URL is not allowed:';

const readBytes = 64 * 1024;
const agentOptions = {
  keepAlive: true,
  /** Shorter than servers usually keep an idle connection, so that one is rarely closed just as it is used again. */
  timeout: 4000,
  /** For each checked address, port and name. */
  maxFreeSockets: 256,
  scheduling: 'lifo',
} as const;

/**
 * Resolves the name and checks every address, then connects to one of those very addresses: a name that changes a
 * moment later reaches nothing else. Redirects are not followed and compressed responses not inflated.
 */
export const createSender = ({ policy, resolve, maxResponseBytes = readBytes }: SenderOptions): Sender => {
  const agents: Agents = { http: new HttpAgent(agentOptions), https: new HttpsAgent(agentOptions) };
  return {
    send: async (request) => {
      const startedAt = performance.now();
      const answer: Answer = { statusCode: null, headers: {}, body: null };
      const deadline = new AbortController();
      const timer = setTimeout(() => deadline.abort(), request.timeoutMs);
      const error = await call(request, answer, deadline.signal).then(() => null, explain(deadline.signal));
      clearTimeout(timer);
      return { ...answer, durationMs: performance.now() - startedAt, error };
    },
    close: () => {
      agents.http.destroy();
      agents.https.destroy();
    },
  };

  async function call(request: OutgoingRequest, answer: Answer, signal: AbortSignal): Promise<void> {
    const target = await orAborted(checkTarget(request.targetUrl, policy, resolve), signal);
    if (target.kind === 'refused') throw new NotCalled(`${targetNotAllowed} ${target.reason}`);
    if (target.kind === 'unresolved') throw new NotCalled(`Target URL cannot be reached: ${target.reason}`);
    await firstThatConnects(target.addresses, (address) =>
      exchange({ request, url: target.url, address, agents, signal, maxResponseBytes }, answer),
    );
  }
};

interface Agents {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
}

/** What has come back so far. */
interface Answer {
  statusCode: number | null;
  headers: SendOutcome['headers'];
  body: string | null;
}

/** No connection was opened, for a reason that may be told as it is. */
class NotCalled extends Error {
  override readonly name = 'NotCalled';
}

class CutShort extends Error {
  override readonly name = 'CutShort';
}

const orAborted = <Result>(promise: Promise<Result>, signal: AbortSignal): Promise<Result> =>
  new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new CutShort()), { once: true });
    promise.then(resolve, reject);
  });

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException | null)?.code ?? '';
const failedToConnect = (error: unknown): boolean =>
  (error as NodeJS.ErrnoException | null)?.syscall === 'connect';

/** The next address is tried only while nothing can have been sent. */
const firstThatConnects = async (
  addresses: readonly string[],
  attempt: (address: string) => Promise<void>,
): Promise<void> => {
  const [address, ...others] = addresses;
  if (address === undefined) return;
  try {
    await attempt(address);
  } catch (error) {
    if (others.length === 0 || !failedToConnect(error)) throw error;
    await firstThatConnects(others, attempt);
  }
};

interface Exchange {
  readonly request: OutgoingRequest;
  readonly url: URL;
  /** Checked. */
  readonly address: string;
  readonly agents: Agents;
  readonly signal: AbortSignal;
  readonly maxResponseBytes: number;
}

/** A kept connection that the receiver has just closed is no failure of the receiver: once more on a new one. */
const exchange = async (details: Exchange, answer: Answer): Promise<void> => {
  const isStale = await exchangeOnce(details, answer, true);
  if (isStale) await exchangeOnce(details, answer, false);
};

/** Returns true when a kept connection turned out to be closed before anything came back. */
const exchangeOnce = (details: Exchange, answer: Answer, mayReuse: boolean): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const outgoing = open(details, mayReuse);
    outgoing.on('error', (error) => {
      const isReset = ['ECONNRESET', 'EPIPE'].includes(codeOf(error));
      if (mayReuse && outgoing.reusedSocket && isReset && answer.statusCode === null) resolve(true);
      else reject(error);
    });
    // Without this Node would drop the connection and say nothing.
    outgoing.on('upgrade', (incoming, socket) => {
      socket.destroy();
      answer.statusCode = incoming.statusCode ?? null;
      answer.headers = headersOf(incoming);
      resolve(false);
    });
    outgoing.on('response', (incoming) => {
      readResponse(incoming, answer, details.maxResponseBytes).then(
        () => {
          // What exceeds the limit is not waited for.
          if (!incoming.complete) outgoing.destroy();
          resolve(false);
        },
        (error: unknown) => reject(error),
      );
    });
    outgoing.end(details.request.body);
  });

const open = ({ request, url, address, agents, signal }: Exchange, mayReuse: boolean): ClientRequest => {
  const isSecure = url.protocol === 'https:';
  const headers = {
    Host: url.host,
    ...request.headers,
    'Content-Length': String(request.body.length),
    'Accept-Encoding': 'identity',
  };
  // The host is the checked address; the certificate is held against the name, which stands in the Host field.
  const options = {
    method: request.method ?? 'POST',
    host: address,
    port: url.port === '' ? (isSecure ? 443 : 80) : Number(url.port),
    path: `${url.pathname}${url.search}`,
    headers,
    signal,
  };
  if (isSecure) return httpsRequest({ ...options, agent: mayReuse ? agents.https : false });
  return httpRequest({ ...options, agent: mayReuse ? agents.http : false });
};

/** Resolves with the whole answer or its beginning; rejects when the receiver breaks off. */
const readResponse = (incoming: IncomingMessage, answer: Answer, maxBytes: number): Promise<void> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  answer.statusCode = incoming.statusCode ?? null;
  answer.headers = headersOf(incoming);
  return new Promise<void>((resolve, reject) => {
    incoming.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= maxBytes) resolve();
    });
    incoming.on('end', resolve);
    incoming.on('error', reject);
    incoming.on('close', () => {
      if (!incoming.complete) reject(new CutShort());
    });
  }).finally(() => {
    answer.body = textOf(Buffer.concat(chunks).subarray(0, maxBytes), incoming);
  });
};

const headersOf = (incoming: IncomingMessage): SendOutcome['headers'] =>
  Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]),
  );

const textOf = (body: Buffer, { headers }: IncomingMessage): string => {
  const encoding = headers['content-encoding'] ?? 'identity';
  return encoding === 'identity'
    ? body.toString('utf8')
    : `(${body.length} bytes, ${encoding}, not inflated)`;
};

/** Why an attempt failed, for people: without addresses and other internals. */
const explain =
  (signal: AbortSignal) =>
  (error: unknown): string => {
    if (signal.aborted) return 'Request timed out';
    if (error instanceof NotCalled) return error.message;
    const code = codeOf(error);
    if (code === 'ECONNREFUSED') return 'Connection refused';
    if (error instanceof CutShort || ['ECONNRESET', 'EPIPE'].includes(code))
      return 'The receiver closed the connection before its answer was complete';
    if (code.includes('CERT')) return `The receiver's certificate is not valid (${code})`;
    if (code.startsWith('HPE_')) return `The receiver's answer is not valid HTTP (${code})`;
    return `The connection failed (${code === '' ? 'unknown reason' : code})`;
  };

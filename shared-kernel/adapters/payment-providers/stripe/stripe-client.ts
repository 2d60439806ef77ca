import Stripe from 'stripe';

/** What Stripe is set to; texts that are missing are ''. */
export interface StripeSettings {
  readonly secretKey: string;
  readonly publishableKey: string;
  readonly webhookSecret: string;
  /** Staff capture what is only authorised. */
  readonly isCapturedLater: boolean;
  /** Where the API is; '' is Stripe's own address. */
  readonly apiBaseUrl: string;
}

/** No answer of the API is larger than this. */
const MAX_ANSWER_BYTES = 1_000_000;
const TIMEOUT_MILLISECONDS = 10_000;

/** Codes of a connection that was never made: nothing can have been asked over it. */
const neverConnected = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

const codesOf = (error: unknown): readonly string[] => {
  if (!(error instanceof Error)) return [];
  const code = 'code' in error && typeof error.code === 'string' ? [error.code] : [];
  const parts = error instanceof AggregateError ? error.errors.flatMap(codesOf) : [];
  return [...code, ...parts, ...codesOf(error.cause)];
};

/** A request that has certainly not left this machine. */
class NotSent extends Error {
  override readonly name = 'NotSent';
}

const isNotSent = (error: unknown): boolean =>
  error instanceof NotSent || (error instanceof Error && isNotSent(error.cause));

/** The answer as a whole, or an error where it is larger than any answer of the API. */
const bounded = async (answer: Response): Promise<Response> => {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of answer.body ?? []) {
    size += part.length;
    if (size > MAX_ANSWER_BYTES) throw new Error(`an answer larger than ${MAX_ANSWER_BYTES} bytes`);
    parts.push(part);
  }
  const { status, statusText, headers } = answer;
  return new Response(status === 204 ? null : Buffer.concat(parts), { status, statusText, headers });
};

const boundedFetch: typeof fetch = async (address, options) => {
  let answer: Response;
  try {
    answer = await fetch(address, { ...options, redirect: 'error' });
  } catch (error) {
    if (codesOf(error).some((code) => neverConnected.has(code)))
      throw new NotSent('the provider could not be reached', { cause: error });
    throw error;
  }
  return bounded(answer);
};

/** Whether the request of this error has certainly not been sent. */
export const wasNotSent = ({ detail }: { readonly detail?: unknown }): boolean => isNotSent(detail);

const addressOf = (base: string) => {
  if (base === '') return {};
  const { protocol, hostname, port } = new URL(base);
  const isPlain = protocol === 'http:';
  return {
    host: hostname,
    port: port === '' ? (isPlain ? 80 : 443) : Number(port),
    protocol: isPlain ? ('http' as const) : ('https' as const),
  };
};

/** A client for these settings. It never asks again by itself: the shop does, with the same key. */
export const stripeClient = (
  { secretKey, apiBaseUrl }: StripeSettings,
  timeout = TIMEOUT_MILLISECONDS,
): Stripe =>
  // Without a key it asks with one that is turned away.
  new Stripe(secretKey === '' ? 'none' : secretKey, {
    ...addressOf(apiBaseUrl),
    httpClient: Stripe.createFetchHttpClient(boundedFetch),
    maxNetworkRetries: 0,
    timeout,
    telemetry: false,
  });

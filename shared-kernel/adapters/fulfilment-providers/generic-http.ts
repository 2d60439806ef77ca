import { z } from 'zod';
import { defined } from '#kernel/defined.ts';
import type {
  CancellationOutcome,
  ConnectionTest,
  FulfilmentProvider,
  FulfilmentSettings,
} from '#ports/fulfilment-provider.ts';
import {
  addressBelow,
  callOut,
  NotFetched,
  type JsonResponse,
  type CheckAddress,
} from '#runtime/fetch-json.ts';
import { DEFAULT_TIMEOUT_SECONDS, genericHttp } from '#values/fulfilment-providers.ts';
import { withoutSecretTexts } from '#values/secret-address.ts';
import {
  levelsResponse,
  orderResponse,
  polledUpdates,
  readMessage,
  testableEvents,
  testMessage,
} from './generic-http-updates.ts';
import { isSignedMessage } from './standard-webhook.ts';

export interface FulfilmentHttpOptions {
  /** Says whether an address may be called, and which IP addresses are meant by it. */
  readonly check: CheckAddress;
}

const MOST_BYTES = 65_536;
/** Of 100,000 levels. */
const MOST_INVENTORY_BYTES = 16 * 1024 * 1024;
const TOLD_CHARACTERS = 300;
/** What stands for a second try although it looks like a mistake of the caller's. */
const passing = new Set([408, 409, 425, 429]);

/** The provider's no, which asking again does not change. */
class Refusal extends Error {
  override readonly name = 'Refusal';
}

/** The keys of the settings, and addresses, which may carry some. */
const secretsOf = ({ apiKey, webhookSecret, baseUrl, url }: FulfilmentSettings): readonly string[] =>
  [apiKey, webhookSecret, baseUrl, url].filter((text) => text !== undefined);

/** What the provider says, cut, and without the keys that it may repeat. */
const told = (text: string, settings: FulfilmentSettings): string => {
  const shown = withoutSecretTexts(text.replaceAll(/\s+/g, ' ').trim(), secretsOf(settings));
  const short = shown.slice(0, TOLD_CHARACTERS);
  return short === '' ? '' : `: ${short}`;
};

export const timeoutOf = ({ timeoutSeconds }: FulfilmentSettings): number =>
  Number(timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS) * 1000;

/** What was answered with success. Errors: `Refusal`, `NotFetched`. */
export const succeeded = ({ status, text }: JsonResponse, settings: FulfilmentSettings): string => {
  if (status >= 200 && status < 300) return text;
  const message = `it answered ${status}${told(text, settings)}`;
  if (status >= 400 && status < 500 && !passing.has(status)) throw new Refusal(message);
  throw new NotFetched(message, status);
};

/** Every failure is an outcome. */
export const orOutcome = async <Outcome>(
  ask: () => Promise<Outcome>,
): Promise<Outcome | { readonly kind: 'refused' | 'failed'; readonly message: string }> => {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof Refusal) return { kind: 'refused', message: error.message };
    if (error instanceof NotFetched) return { kind: 'failed', message: error.message };
    throw error;
  }
};

export const bearer = ({ apiKey }: FulfilmentSettings): Record<string, string> =>
  apiKey === undefined ? {} : { Authorization: `Bearer ${apiKey}` };

const read = <Answer>(schema: z.ZodType<Answer>, text: string): Answer => {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    throw new NotFetched('its answer is not JSON');
  }
  const { success, data } = schema.safeParse(answer);
  if (!success) throw new NotFetched('its answer is not what was agreed');
  return data;
};

const submittedResponse = z.object({
  reference: z.string().trim().min(1).max(250),
  status: z.string().max(250).nullish(),
});
const productsResponse = z.object({ failed: z.array(z.string().max(250)).max(100_000).default([]) });
const short = z.string().max(250).nullish();
const pingResponse = z.object({
  version: short,
  accountName: short,
  warehouseCount: z.int().min(0).nullish(),
});

interface Request {
  readonly path: string;
  readonly body?: object;
  readonly idempotencyKey?: string;
  readonly maxBytes?: number;
}

const notConnected = (errorMessage: string, errorCode: string): ConnectionTest => ({
  success: false,
  providerVersion: null,
  accountName: null,
  warehouseCount: null,
  errorMessage,
  errorCode,
});

const asking =
  ({ check }: FulfilmentHttpOptions) =>
  async (
    settings: FulfilmentSettings,
    { path, body, idempotencyKey, maxBytes }: Request,
  ): Promise<string> => {
    const limits = { timeoutMs: timeoutOf(settings), maxBytes: maxBytes ?? MOST_BYTES };
    const headers = {
      Accept: 'application/json',
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...bearer(settings),
      ...defined({ 'Idempotency-Key': idempotencyKey }),
    };
    const isPost = body !== undefined;
    const asked = {
      method: isPost ? 'POST' : 'GET',
      headers,
      body: isPost ? JSON.stringify(body) : null,
    } as const;
    return succeeded(
      await callOut(addressBelow(settings['baseUrl'] ?? '', path), check, limits, asked),
      settings,
    );
  };

type ProcessCommand = ReturnType<typeof asking>;

const testConnection = async (ask: ProcessCommand, settings: FulfilmentSettings): Promise<ConnectionTest> => {
  const outcome = await orOutcome(async () => {
    const { version, accountName, warehouseCount } = read(
      pingResponse,
      await ask(settings, { path: '/ping' }),
    );
    return {
      success: true,
      providerVersion: version ?? null,
      accountName: accountName ?? null,
      warehouseCount: warehouseCount ?? null,
      errorMessage: null,
      errorCode: null,
    };
  });
  return 'kind' in outcome ? notConnected(outcome.message, outcome.kind) : outcome;
};

/** A service over HTTP that speaks as docs/guides/writing-a-fulfilment-provider.md#over-http says. */
export const genericHttpProvider = (options: FulfilmentHttpOptions): FulfilmentProvider => {
  const ask = asking(options);
  const orderPath = (reference: string): string => `/orders/${encodeURIComponent(reference)}`;
  return {
    description: genericHttp,
    testConnection: (settings) => testConnection(ask, settings),
    submitOrder: (settings, order, { idempotencyKey }) =>
      orOutcome(async () => {
        const text = await ask(settings, { path: '/orders', body: order, idempotencyKey });
        const { reference, status } = read(submittedResponse, text);
        return { kind: 'submitted' as const, reference, status: status ?? null };
      }),
    cancelOrder: (settings, reference, idempotencyKey) =>
      orOutcome(async (): Promise<CancellationOutcome> => {
        await ask(settings, { path: `${orderPath(reference)}/cancel`, body: {}, idempotencyKey });
        return { kind: 'cancelled' };
      }),
    callback: ({ webhookSecret = '' }, raw) =>
      isSignedMessage(raw, webhookSecret) ? readMessage(raw.body, raw.now) : { kind: 'invalidSignature' },
    pollOrder: (settings, reference) =>
      orOutcome(async () => {
        const found = read(orderResponse, await ask(settings, { path: orderPath(reference) }));
        // Whatever reference it gives the order: this is the one that was asked for.
        return { kind: 'found' as const, updates: polledUpdates({ ...found, reference }) };
      }),
    syncProducts: (settings, products) =>
      orOutcome(async () => {
        const text = await ask(settings, {
          path: '/products',
          body: { products },
          maxBytes: MOST_INVENTORY_BYTES,
        });
        return {
          kind: 'synced' as const,
          failedSkus: read(productsResponse, text === '' ? '{}' : text).failed,
        };
      }),
    inventoryLevels: (settings) =>
      orOutcome(async () => {
        const text = await ask(settings, { path: '/inventory', maxBytes: MOST_INVENTORY_BYTES });
        return { kind: 'levels' as const, levels: read(levelsResponse, text).levels };
      }),
    testableEvents,
    readCallback: readMessage,
    testCallback: testMessage,
  };
};

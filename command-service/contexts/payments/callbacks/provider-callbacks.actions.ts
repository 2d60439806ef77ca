import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { ReceivedCallbacks } from '#command/engine/received-callbacks.ts';
import type { Clock } from '#kernel/clock.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { PaymentCallback, RawCallback, ReadCallback } from '#ports/payment-callback.ts';
import type { PaymentProvider } from '#ports/payment-provider.ts';
import type { Timing } from '#runtime/metrics.ts';
import type { RouteCallback } from './route-callback.ts';

export interface ProviderCallbackDeps {
  /** By alias, also one that shoppers are not offered: what it took before may still be told of. */
  readonly provider: (alias: string) => PaymentProvider | undefined;
  readonly received: Pick<ReceivedCallbacks, 'once'>;
  readonly clock: Clock;
  readonly route: RouteCallback;
  readonly timing: Timing;
}

/** What came of a callback. */
export interface CallbackResponse {
  readonly eventType: PaymentCallback['type'];
  readonly isRepeat: boolean;
  readonly outcome: string;
}

const badRequest = (message: string): Rejection => new Rejection('invalid-request', message);

/** No provider uses longer names. */
const LONGEST_NAME = 250;
const LONGEST_REASON = 1000;

/** What a provider calls things by and has to say ends up in streams and rows. Errors: `invalid-request`. */
const bounded = (event: PaymentCallback): PaymentCallback => {
  const { eventId, transactionId, sessionId, invoiceId, refundId, disputeId, reason, risk } = event;
  const names = { transactionId, sessionId, invoiceId, refundId, disputeId };
  const named = Object.entries(names).map(([name, value]) => [`data.${name}`, value] as const);
  for (const [name, value] of [['id', eventId] as const, ...named])
    if (value !== null && value.length > LONGEST_NAME)
      throw badRequest(`${name}: must be at most ${LONGEST_NAME} characters`);
  return {
    ...event,
    reason: reason && reason.slice(0, LONGEST_REASON),
    risk: risk && { ...risk, source: risk.source.slice(0, LONGEST_NAME) },
  };
};

/** A reader that throws has not recognised the sender. */
const read = (provider: PaymentProvider, raw: RawCallback): ReadCallback => {
  try {
    return provider.callback?.(raw) ?? { kind: 'invalidSignature' };
  } catch {
    return { kind: 'malformed', message: 'Webhook validation failed.' };
  }
};

/** What providers tell the shop, each event once (docs/rules/payment-callbacks.md). */
export const createProviderCallbacks = (deps: ProviderCallbackDeps) => {
  const { provider: providerBy, received, clock, route, timing } = deps;

  const process = async (
    alias: string,
    event: PaymentCallback,
    meta: CommandMeta,
  ): Promise<CallbackResponse> => {
    const begun = performance.now();
    const { eventId, type: eventType } = event;
    const work = (): Promise<string> => route(alias, event, meta);
    const processed = await received.once({ provider: alias, eventId, eventType }, work, meta);
    const outcome = processed.isRepeat ? 'repeat' : processed.outcome;
    timing.observe((performance.now() - begun) / 1000, alias, outcome);
    return { eventType, ...processed };
  };

  return {
    /**
     * Takes a callback as it came. Errors: `not-found`, `invalid-request`, `callback-under-way`, and what keeps it
     * from being recorded, so that the provider sends it again.
     */
    receive: async (
      alias: string,
      { body, headers }: Pick<RawCallback, 'body' | 'headers'>,
      meta: CommandMeta,
    ): Promise<CallbackResponse> => {
      const provider = providerBy(alias);
      if (!provider?.callback) throw new Rejection('not-found', `Provider '${alias}' not found.`);
      if (body.length === 0) throw badRequest('Empty payload.');
      const said = read(provider, { body, headers, now: clock.now() });
      if (said.kind === 'invalidSignature') throw badRequest('Invalid webhook signature.');
      if (said.kind === 'malformed') throw badRequest(said.message);
      return process(alias, bounded(said.event), meta);
    },

    /** An unsigned event, for trying the shop out. Errors: `not-found`, as `receive`. */
    simulate: async (alias: string, event: PaymentCallback, meta: CommandMeta): Promise<CallbackResponse> => {
      if (!providerBy(alias)) throw new Rejection('not-found', `Provider '${alias}' not found.`);
      return process(alias, event, meta);
    },
  };
};

export type ProviderCallbacks = ReturnType<typeof createProviderCallbacks>;

import { createHash } from 'node:crypto';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { ReceivedCallbacks } from '#command/engine/received-callbacks.ts';
import type { Clock } from '#kernel/clock.ts';
import { newId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import type {
  FulfilmentUpdates,
  RawFulfilmentCallback,
  ReadFulfilmentCallback,
  TestUpdate,
} from '#ports/fulfilment-provider.ts';
import type { KnownConfigurations, SetUpProvider } from '../known-configuration.ts';
import type { ProviderUpdates } from './provider-updates.ts';

export interface FulfilmentCallbackDeps {
  readonly known: KnownConfigurations;
  readonly received: Pick<ReceivedCallbacks, 'once'>;
  readonly updates: ProviderUpdates;
  readonly clock: Clock;
}

export interface ProcessedCallback {
  readonly isRepeat: boolean;
  readonly eventType: string;
  readonly statusUpdates: number;
  readonly shipmentUpdates: number;
  readonly inventoryUpdates: number;
}

type Message = Pick<RawFulfilmentCallback, 'body' | 'headers'>;

const badRequest = (message: string): Rejection => new Rejection('invalid-request', message);

/** The provider's id of the message, else a hash of its bytes. */
const messageIdOf = ({ body, headers }: Message): string =>
  headers['webhook-id'] ??
  headers['x-webhook-id'] ??
  headers['x-request-id'] ??
  `hash:${createHash('sha256').update(body).digest('hex')}`;

const MOST_KEPT_CHARACTERS = 10_000;

/** A reader that throws has not understood the message. */
const read = ({ provider, settings }: SetUpProvider, raw: RawFulfilmentCallback): ReadFulfilmentCallback => {
  try {
    return provider.callback?.(settings.configuration, raw) ?? { kind: 'invalidSignature' };
  } catch {
    return { kind: 'malformed', message: 'Webhook validation failed.' };
  }
};

/** Finds the provider whose secret verifies the message, and reads it. Errors: `not-found`, `invalid-request`. */
const recognising =
  (known: KnownConfigurations, clock: Clock) =>
  (key: string, message: Message): { readonly setUp: SetUpProvider; readonly said: FulfilmentUpdates } => {
    const candidates = known.named(key);
    if (candidates.length === 0) throw new Rejection('not-found', `Provider '${key}' not found.`);
    const listening = candidates.filter(({ provider }) => provider.callback !== undefined);
    if (listening.length === 0) throw badRequest(`Provider '${key}' does not support webhooks.`);
    if (message.body.length === 0) throw badRequest('Empty payload.');
    const raw = { ...message, now: clock.now() };
    for (const setUp of listening) {
      const said = read(setUp, raw);
      if (said.kind === 'malformed') throw badRequest(said.message);
      if (said.kind === 'updates') return { setUp, said: said.updates };
    }
    throw badRequest('Invalid webhook signature.');
  };

/** Processes each callback of a fulfilment provider once (docs/rules/fulfilment.md#callbacks). */
export const createFulfilmentCallbacks = ({ known, received, updates, clock }: FulfilmentCallbackDeps) => {
  const recognise = recognising(known, clock);

  return {
    /** Errors: `not-found`, `invalid-request`, `callback-under-way`, `payment-unknown`, and failures to record it. */
    receive: async (key: string, message: Message, meta: CommandMeta): Promise<ProcessedCallback> => {
      const { setUp, said } = recognise(key, message);
      const { configurationId } = setUp;
      const messageId = messageIdOf(message);
      const { eventType, statusUpdates, shipmentUpdates } = said;
      let inventoryUpdates = 0;
      const work = async (): Promise<string> => {
        const applied = await updates.apply({ configurationId, messageId }, said, meta);
        ({ inventoryUpdates } = applied);
        return 'processed';
      };
      const payload = message.body.toString('utf8').slice(0, MOST_KEPT_CHARACTERS);
      const name = { provider: configurationId, eventId: messageId, eventType, payload };
      const { isRepeat } = await received.once(name, work, meta);
      return {
        isRepeat,
        eventType,
        statusUpdates: statusUpdates.length,
        shipmentUpdates: shipmentUpdates.length,
        inventoryUpdates,
      };
    },

    /** An unsigned message, for trying the shop out. Errors: `entity-not-found`, and the same. */
    simulate: async (
      configurationId: string,
      update: TestUpdate,
      customPayload: string | null,
      meta: CommandMeta,
    ) => {
      const { provider } = known.get(configurationId);
      const now = clock.now();
      const payload = customPayload ?? provider.testCallback?.(update, now);
      if (payload === undefined || !provider.readCallback)
        throw badRequest('This provider does not support webhooks.');
      const said = provider.readCallback(Buffer.from(payload), now);
      if (said.kind !== 'updates') {
        const errorMessage = said.kind === 'malformed' ? said.message : 'Invalid webhook signature.';
        return { success: false, eventTypeDetected: null, actionsPerformed: [], payload, errorMessage };
      }
      const { actions } = await updates.apply({ configurationId, messageId: newId() }, said.updates, meta);
      const { eventType: eventTypeDetected } = said.updates;
      return { success: true, eventTypeDetected, actionsPerformed: actions, payload, errorMessage: null };
    },
  };
};

export type FulfilmentCallbacks = ReturnType<typeof createFulfilmentCallbacks>;

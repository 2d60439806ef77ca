import type { Logger } from 'pino';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { Clock } from '#kernel/clock.ts';
import { derivedId, newId } from '#kernel/ids.ts';
import type { Document } from '#kernel/projection.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { PersonalTexts } from '#log/personal-texts.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { PaymentCallback } from '#ports/payment-callback.ts';
import type { Job } from '#runtime/job-runner.ts';

/** An event that came before what it is about. */
interface ParkedCallback extends Document {
  readonly provider: string;
  /** What it waits for. */
  readonly transactionId: string;
  /** Sealed: whom it is about is not known yet. In clear where an older release kept it. */
  readonly event: string | PaymentCallback;
  readonly tries: number;
  /** The shop's milliseconds. */
  readonly parkedAt: number;
  readonly dueAt: number;
  readonly expiresAt: number;
}

const collection = 'parked_callbacks';
/** No request has more than this but by mistake: the provider keeps the rest, and tries again. */
const MOST = 10_000;
const KEPT_MILLISECONDS = 30 * 24 * 60 * 60 * 1000;
const FIRST_PAUSE_MILLISECONDS = 10_000;
const LONGEST_PAUSE_MILLISECONDS = 60 * 60 * 1000;
/** A wallet's order is placed within minutes, if at all. */
const OVERDUE_MILLISECONDS = 60 * 60 * 1000;
const TAKEN_TOGETHER = 100;

export interface ParkedCallbacks {
  /** Keeps an event for later. Errors: `too-busy` when there are too many. */
  park(provider: string, event: PaymentCallback, transactionId: string): Promise<void>;
  /** Applies what has waited for a payment, in the order in which it came. What fails is tried again by the job. */
  applyFor(provider: string, transactionId: string, meta: CommandMeta): Promise<void>;
  /** Tries again what has waited for a payment that came by another way; forgets what has waited too long. */
  readonly applyDue: Job;
}

interface ParkedCallbacksOptions {
  readonly stateStore: DocumentStore;
  readonly clock: Clock;
  readonly personalTexts: Pick<PersonalTexts, 'open' | 'sealForShop'>;
  readonly log: Pick<Logger, 'warn'>;
  /** What is still early after an hour is seen by staff meanwhile. */
  readonly overdue: (provider: string, event: PaymentCallback, meta: CommandMeta) => Promise<void>;
  /** True once it was applied, false where it is still early. */
  readonly apply: (provider: string, event: PaymentCallback, meta: CommandMeta) => Promise<boolean>;
}

const systemMeta = (provider: string): CommandMeta => {
  const correlationId = newId();
  return { correlationId, causationId: correlationId, actor: { kind: 'system', id: provider } };
};

const postpone = async (
  { stateStore, clock }: ParkedCallbacksOptions,
  { _id, tries }: ParkedCallback,
): Promise<void> => {
  const wait = Math.min(FIRST_PAUSE_MILLISECONDS * 2 ** Math.min(tries, 20), LONGEST_PAUSE_MILLISECONDS);
  const set = { dueAt: clock.now() + wait };
  await stateStore.updateIf(collection, { _id }, { set, increment: { tries: 1 } });
};

/** What fails must not stand in the way of the others, nor of the callback that it waited for. */
const tried = async (
  { log, apply }: ParkedCallbacksOptions,
  provider: string,
  event: PaymentCallback,
  meta: CommandMeta,
): Promise<boolean> => {
  try {
    return await apply(provider, event, meta);
  } catch (err) {
    log.warn({ provider, eventId: event.eventId, err }, 'a parked callback failed');
    return false;
  }
};

const openedEvent = async (
  { personalTexts }: ParkedCallbacksOptions,
  { event }: ParkedCallback,
): Promise<PaymentCallback | null> => {
  if (typeof event !== 'string') return event;
  const text = await personalTexts.open(event);
  return text === null ? null : (JSON.parse(text) as PaymentCallback);
};

/** Applied again after a kill in between, it changes nothing. */
const applyOne = async (
  options: ParkedCallbacksOptions,
  parked: ParkedCallback,
  meta: CommandMeta,
): Promise<boolean> => {
  const { stateStore, clock, log } = options;
  const { _id, provider, parkedAt, expiresAt } = parked;
  const event = await openedEvent(options, parked);
  if (event === null) {
    log.warn(
      { provider, parked: _id },
      'a parked callback was altered or sealed with another key, and is dropped',
    );
    await stateStore.deleteMany(collection, { _id }, 1);
    return false;
  }
  const isApplied = await tried(options, provider, event, meta);
  if (!isApplied && clock.now() - parkedAt >= OVERDUE_MILLISECONDS)
    await options.overdue(provider, event, meta);
  if (!isApplied && expiresAt > clock.now()) {
    await postpone(options, parked);
    return false;
  }
  await stateStore.deleteMany(collection, { _id }, 1);
  if (!isApplied) log.warn({ provider, eventId: event.eventId }, 'a callback waited in vain, and is dropped');
  return isApplied;
};

const applyDue = (options: ParkedCallbacksOptions): Job => ({
  name: 'apply-parked-callbacks',
  schedule: '*/10 * * * * *',
  runOnce: async (now) => {
    let applied = 0;
    for (;;) {
      const due = await options.stateStore.find<ParkedCallback>(collection, {
        filter: { dueAt: { lte: now } },
        sort: [['dueAt', 1]],
        limit: TAKEN_TOGETHER,
      });
      for (const one of due) if (await applyOne(options, one, systemMeta(one.provider))) applied++;
      if (due.length < TAKEN_TOGETHER) return { applied };
    }
  },
});

/** Declares its collection; call it once at start (docs/rules/payment-callbacks.md#early-events). */
export const createParkedCallbacks = async (options: ParkedCallbacksOptions): Promise<ParkedCallbacks> => {
  const { stateStore, clock, personalTexts } = options;
  await stateStore.declare(collection, [
    { fields: ['provider', 'transactionId', 'parkedAt'] },
    { fields: ['dueAt'] },
  ]);
  return {
    park: async (provider, event, transactionId) => {
      if ((await stateStore.count(collection)) >= MOST)
        throw new Rejection(
          'too-busy',
          'Too many events wait for their payments. Send this one again later.',
        );
      const parkedAt = clock.now();
      const parked: ParkedCallback = {
        _id: derivedId('parked-callback', provider, event.eventId),
        provider,
        transactionId,
        event: personalTexts.sealForShop(JSON.stringify(event)),
        tries: 0,
        parkedAt,
        dueAt: parkedAt + FIRST_PAUSE_MILLISECONDS,
        expiresAt: parkedAt + KEPT_MILLISECONDS,
      };
      await stateStore.insertIfAbsent(collection, parked);
    },
    applyFor: async (provider, transactionId, meta) => {
      const filter = { provider, transactionId };
      const parked = await stateStore.find<ParkedCallback>(collection, {
        filter,
        sort: [['parkedAt', 1]],
        limit: TAKEN_TOGETHER,
      });
      for (const one of parked) await applyOne(options, one, meta);
    },
    applyDue: applyDue(options),
  };
};

import type { Logger } from 'pino';
import type { PersonalTexts } from '#log/personal-texts.ts';
import type { Delivery } from '#topics/webhook-delivery.ts';
import { isoInstant, type Clock } from '#kernel/clock.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { START } from '#ports/event-store.ts';
import { shownAddress } from '#values/secret-address.ts';
import type { Sender, SendOutcome } from '#ports/sender.ts';
import { withoutSecrets } from '#values/webhook-headers.ts';
import type { Claimed } from '../../engine/delivery-queues.ts';
import type { Transition } from '#topics/delivery-steps.ts';
import { keptOutcome } from '../../engine/kept-outcome.ts';
import { createBeat, createRecorder } from '../../engine/record-outcome.ts';
import { isSuccess } from '#topics/delivery-outcome.ts';
import { abandon } from '#topics/http-attempt.ts';
import { interruptDelivery, next, type DeliverySettings } from './delivery.ts';
import { claimDelivery, getDelivery, takeStep, type CountedIn, type DeliveryRow } from './delivery-rows.ts';
import type { Receiver } from './operator-webhook.ts';
import { requestHeaders } from './signature.ts';
import { withoutEchoes } from './without-echoes.ts';
import type { DeliveryCounter } from './delivery-counter.ts';

export interface AttemptDeps {
  readonly stateStore: DocumentStore;
  readonly clock: Clock;
  readonly personalTexts: Pick<PersonalTexts, 'open' | 'sealLike'>;
  readonly sender: Pick<Sender, 'send'>;
  /** As it is now: a changed address, secret or time-out counts from the next attempt on. */
  readonly subscription: (id: string) => Receiver | undefined;
  /** Resolves when `subscription` reflects the log up to a position. */
  readonly whenKnown: (position: number) => Promise<void>;
  readonly settings: DeliverySettings;
  readonly counter: DeliveryCounter;
  readonly log: Pick<Logger, 'debug' | 'warn'>;
}

/** An attempt and what it came to. */
export interface AttemptResult {
  /** As it stands afterwards; null when another worker has it by now. */
  readonly delivery: Delivery | null;
  readonly outcome: SendOutcome | null;
}

export interface Attempts {
  /** Takes a delivery that is due; null when there is nothing to do. Errors: `EngineUnavailable`. */
  claim(deliveryId: string): Promise<Claimed | null>;
  /** Makes the attempt for which a row was claimed. Errors: `EngineUnavailable`, once the process is stopping. */
  send(claimed: Delivery): Promise<AttemptResult>;
  /** How many are under way to a subscription here. */
  underWayTo(subscriptionId: string): number;
  /** Gives up what is still under way, so that the next process begins with it. */
  release(): Promise<void>;
}

const subscriptionGone = 'Subscription not found';
const personForgotten = 'The person it is about has been forgotten';
/** With more than this under way, outcomes are recorded together. */
const FEW = 4;

/** The row when an earlier try has taken this very step, and only its answer was lost. */
const alreadyTaken = async (
  stateStore: DocumentStore,
  { when, patch }: Transition,
): Promise<Delivery | null> => {
  const row = await getDelivery(stateStore, String(when['_id']));
  const ours = patch.set?.['countedIn'] as CountedIn | undefined;
  const isOurs = row?.countedIn?.run === ours?.run && row?.countedIn?.round === ours?.round;
  return ours && isOurs && row?.attemptNumber === when['attemptNumber'] ? row : null;
};

const recorder = ({ stateStore, log }: AttemptDeps, stopping: AbortSignal) =>
  createRecorder({
    take: (transition) => takeStep(stateStore, transition),
    taken: (transition) => alreadyTaken(stateStore, transition),
    log,
    stopping,
  });

const counting = ({ when, patch }: Transition, countedIn: CountedIn): Transition => ({
  when,
  patch: { ...patch, set: { ...patch.set, countedIn } },
});

/** From which position of the log on its subscription is known: the event that it is about may be older. */
const knownFrom = ({ position, replay }: DeliveryRow): number => replay?.knownFrom ?? position ?? START;

const resultOf = ({ outcome }: AttemptResult): 'succeeded' | 'failed' =>
  outcome && isSuccess(outcome) ? 'succeeded' : 'failed';

const attemptedFacts = (
  { _id: deliveryId, subscriptionId, topic, attemptNumber }: Delivery,
  { statusCode, durationMs, error }: SendOutcome,
) => ({ deliveryId, subscriptionId, topic, attemptNumber, statusCode, milliseconds: durationMs, error });

/**
 * One attempt: send to the address that the subscription names now, then record the outcome if the attempt is still
 * ours. A recovered delivery has another number, so that a late owner overwrites nothing.
 */
export const createAttempts = (deps: AttemptDeps): Attempts => {
  const { stateStore, clock, personalTexts, sender, subscription, whenKnown, settings, counter, log } = deps;
  const underWay = new Map<string, Delivery>();
  const stopping = new AbortController();
  const record = recorder(deps, stopping.signal);
  const beat = createBeat();

  const giveUp = async (claimed: Delivery, reason: string): Promise<AttemptResult> => ({
    delivery: await record(abandon(claimed, reason, clock.now())),
    outcome: null,
  });

  const sendTo = async (receiver: Receiver, claimed: Delivery): Promise<AttemptResult> => {
    const { _id: deliveryId, topic, isTest, requestBody } = claimed;
    const text = await personalTexts.open(requestBody);
    if (text === null) return giveUp(claimed, personForgotten);
    const body = Buffer.from(text);
    const headers = requestHeaders(receiver, { topic, deliveryId, body, now: clock.now(), isTest });
    const { targetUrl } = receiver;
    const timeoutMs = receiver.timeoutSeconds * 1000;
    const answer = await sender.send({ targetUrl, headers, body, timeoutMs });
    const outcome = withoutEchoes(answer, receiver, headers);
    const sent = { targetUrl: shownAddress(targetUrl), headers: withoutSecrets(headers) };
    const kept = await keptOutcome(personalTexts, requestBody, outcome);
    if (underWay.size > FEW) await beat();
    const now = clock.now();
    const result = isSuccess(outcome) ? 'succeeded' : 'failed';
    const delivery = await counter.recordAndCount(result, isoInstant(now), (countedIn) =>
      record(counting(next(claimed, kept, settings, now, sent), countedIn)),
    );
    // The caller waits for the response, and reads the counters next.
    if (claimed.isTest) await counter.settled();
    log.debug(attemptedFacts(claimed, outcome), 'delivery attempted');
    return { delivery, outcome };
  };

  const send = async (claimed: Delivery): Promise<AttemptResult> => {
    underWay.set(claimed._id, claimed);
    try {
      await whenKnown(knownFrom(claimed as DeliveryRow));
      const receiver = subscription(claimed.subscriptionId);
      if (receiver) return await sendTo(receiver, claimed);
      return await giveUp(claimed, subscriptionGone);
    } finally {
      underWay.delete(claimed._id);
    }
  };

  return {
    claim: async (deliveryId) => {
      const claimed = await claimDelivery(stateStore, deliveryId, clock.now());
      return claimed && { send: async () => resultOf(await send(claimed)) };
    },
    send,
    underWayTo: (subscriptionId) =>
      [...underWay.values()].filter((one) => one.subscriptionId === subscriptionId).length,
    release: async () => {
      stopping.abort();
      await Promise.all(
        [...underWay.values()].map((one) => takeStep(stateStore, interruptDelivery(one, clock.now()))),
      );
    },
  };
};

import { webhookHealthEvents, type WebhookHealthEvent } from '#events/webhook-health.events.ts';
import type { Decider } from '#kernel/decider.ts';
import type { Evolution } from '#kernel/evolution.ts';
import type { ObserveWebhook } from './webhook-health.commands.ts';

const { WebhookReceiverFailed, WebhookDeliveriesGivenUp, WebhookReceiverRecovered } =
  webhookHealthEvents.create;

/** After so many attempts in a row that failed, a receiver is taken for one that does not work. */
export const FAILING_AFTER = 10;
/** From the beginning of one trouble to that of the next, so that a receiver that comes and goes makes no storm. */
const QUIET_MILLISECONDS = 3_600_000;

/** What staff have been told, and not yet that it is over. */
interface Trouble {
  readonly isFailing: boolean;
  readonly hasGivenUp: boolean;
}

export interface WebhookHealth {
  readonly trouble: Trouble | null;
  /** When the last trouble was told first; null: there was none. */
  readonly troubledSince: string | null;
  /** Deliveries given up of which staff know. */
  readonly givenUpCount: number;
}

const quiet: Trouble = { isFailing: false, hasGivenUp: false };

const mayTell = ({ trouble, troubledSince }: WebhookHealth, at: string): boolean =>
  trouble !== null ||
  troubledSince === null ||
  Date.parse(at) - Date.parse(troubledSince) >= QUIET_MILLISECONDS;

const troubles = (
  state: WebhookHealth,
  { subscription, counted }: ObserveWebhook,
  at: string,
): readonly WebhookHealthEvent[] => {
  if (!mayTell(state, at)) return [];
  const { isFailing, hasGivenUp } = state.trouble ?? quiet;
  const { failuresInARow, givenUpCount, lastErrorMessage: errorMessage } = counted;
  const deliveries = givenUpCount - state.givenUpCount;
  return [
    ...(failuresInARow >= FAILING_AFTER && !isFailing
      ? [WebhookReceiverFailed({ ...subscription, errorMessage, failuresInARow, at })]
      : []),
    ...(deliveries > 0 && !hasGivenUp
      ? [WebhookDeliveriesGivenUp({ ...subscription, errorMessage, deliveries, givenUpCount, at })]
      : []),
  ];
};

/** Since the trouble was told, or before that and after its last failure: it is told some seconds late. */
const hasRecovered = (
  troubledSince: string,
  { failuresInARow, lastSuccessUtc, lastFailureUtc }: ObserveWebhook['counted'],
): boolean =>
  failuresInARow === 0 &&
  lastSuccessUtc !== null &&
  (lastSuccessUtc >= troubledSince || (lastFailureUtc !== null && lastSuccessUtc > lastFailureUtc));

/** What is to be told of a subscription; most often nothing. */
export const healthNews = (
  state: WebhookHealth,
  command: ObserveWebhook,
  at: string,
): readonly WebhookHealthEvent[] => {
  const { subscription, counted } = command;
  const { trouble, troubledSince } = state;
  const { givenUpCount } = counted;
  return trouble !== null && troubledSince !== null && hasRecovered(troubledSince, counted)
    ? [WebhookReceiverRecovered({ ...subscription, troubledSince, givenUpCount, at })]
    : troubles(state, command, at);
};

const troubled = (state: WebhookHealth, at: string, more: Partial<Trouble>): WebhookHealth => ({
  ...state,
  trouble: { ...(state.trouble ?? quiet), ...more },
  troubledSince: state.trouble ? state.troubledSince : at,
});

const on: Evolution<WebhookHealth, WebhookHealthEvent> = {
  WebhookReceiverFailed: (state, { data: { at } }) => troubled(state, at, { isFailing: true }),
  WebhookDeliveriesGivenUp: (state, { data: { at, givenUpCount } }) => ({
    ...troubled(state, at, { hasGivenUp: true }),
    givenUpCount,
  }),
  WebhookReceiverRecovered: (state, { data: { givenUpCount } }) => ({
    ...state,
    trouble: null,
    givenUpCount,
  }),
};

/** What staff are told of a subscription, once each (docs/rules/webhooks.md#telling-staff). */
export const webhookHealthDecider: Decider<
  WebhookHealth,
  ObserveWebhook,
  WebhookHealthEvent,
  { readonly at: string }
> = {
  category: 'webhookHealth',
  initial: () => ({ trouble: null, troubledSince: null, givenUpCount: 0 }),
  decide: (state, command, { at }) => healthNews(state, command, at),
  on,
  remembersCommands: false,
};

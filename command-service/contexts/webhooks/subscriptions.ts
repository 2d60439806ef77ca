import { randomBytes } from 'node:crypto';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import type {
  ChangeSubscription,
  CreateSubscription,
  ShownSubscription,
} from '#contracts/webhooks.contract.ts';
import { checkTarget, type ResolveHost } from '#runtime/check-target.ts';
import { isoInstant } from '#kernel/clock.ts';
import { notFound } from '#kernel/entity.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { TargetPolicy } from '#values/target-address.ts';
import type { SubscriptionCommand, SubscriptionSettings } from './subscription.commands.ts';
import { subscriptionDecider } from './subscription.decider.ts';

/** A subscription that has been made or changed. The secret is in clear: for whoever may see it once. */
export interface SavedSubscription {
  readonly subscription: ShownSubscription;
  readonly secret: string;
  readonly position: number;
}

/** Errors: Rejections `invalid-request`, `entity-not-found`, `already-exists`. */
export interface Subscriptions {
  create(id: string, body: CreateSubscription, meta: CommandMeta): Promise<SavedSubscription>;
  change(id: string, body: ChangeSubscription, meta: CommandMeta): Promise<SavedSubscription>;
  regenerateSecret(id: string, meta: CommandMeta): Promise<SavedSubscription>;
  /** Answers the position. */
  remove(id: string, meta: CommandMeta): Promise<number>;
}

export interface SubscriptionsOptions extends Pick<CommandDeps, 'commands' | 'clock'> {
  readonly policy: TargetPolicy;
  readonly resolve: ResolveHost;
  readonly defaultTimeoutSeconds: number;
}

const secretBytes = 32;
const longestTimeoutSeconds = 300;

/** An empty text takes back what was set. */
const emptyIsNone = (text: string | null | undefined): string | null => (text === '' ? null : (text ?? null));

/** What is neither null nor left out; a text that may be missing is taken back when it is empty. */
const givenSettings = (body: Omit<ChangeSubscription, 'timeoutSeconds'>): Partial<SubscriptionSettings> => {
  const { authHeaderName, authHeaderValue, filterExpression, ...others } = body;
  const texts = Object.entries({ authHeaderName, authHeaderValue, filterExpression });
  const isGiven = ([, value]: readonly [string, unknown]): boolean => value !== null && value !== undefined;
  return Object.fromEntries([
    ...Object.entries(others).filter(isGiven),
    ...texts.filter(isGiven).map(([field, text]) => [field, emptyIsNone(text)]),
  ]) as Partial<SubscriptionSettings>;
};

/** What a new subscription is set to where the body says nothing. */
const newSettings = (
  { name, targetUrl, ...body }: CreateSubscription,
  timeoutSeconds: number,
): SubscriptionSettings => ({
  name,
  targetUrl,
  isActive: true,
  authType: body.authType ?? 'HmacSha256',
  authHeaderName: emptyIsNone(body.authHeaderName),
  authHeaderValue: emptyIsNone(body.authHeaderValue),
  timeoutSeconds,
  filterExpression: emptyIsNone(body.filterExpression),
  headers: body.headers ?? {},
});

export const createSubscriptions = (options: SubscriptionsOptions): Subscriptions => {
  const { commands, clock, policy, resolve, defaultTimeoutSeconds } = options;

  const timeoutOf = (seconds: number): number =>
    Math.min(seconds > 0 ? seconds : defaultTimeoutSeconds, longestTimeoutSeconds);

  const refuseTarget = async (targetUrl: string): Promise<void> => {
    const target = await checkTarget(targetUrl, policy, resolve);
    if (target.kind !== 'refused') return;
    const message = `Target URL is not allowed: ${target.reason}.`;
    throw new Rejection('invalid-request', message, { errors: [`targetUrl: ${target.reason}`] });
  };

  const execute = (id: string, command: SubscriptionCommand, meta: CommandMeta) =>
    commands.execute({
      decider: subscriptionDecider,
      id,
      command,
      context: () => ({
        at: isoInstant(clock.now()),
        newSecret: randomBytes(secretBytes).toString('base64'),
      }),
      meta,
    });

  const save = async (
    id: string,
    command: SubscriptionCommand,
    meta: CommandMeta,
  ): Promise<SavedSubscription> => {
    const { state, position } = await execute(id, command, meta);
    if (state.status !== 'subscribed') throw notFound('webhook subscription');
    const { settings, topic, signingSecret, dateCreated, dateUpdated } = state;
    return {
      subscription: { ...settings, id, topic, dateCreated, dateUpdated },
      secret: signingSecret,
      position,
    };
  };

  return {
    create: async (id, body, meta) => {
      await refuseTarget(body.targetUrl);
      const settings = newSettings(body, timeoutOf(body.timeoutSeconds ?? 0));
      return save(id, { type: 'Subscribe', topic: body.topic, settings }, meta);
    },
    change: async (id, { timeoutSeconds, ...body }, meta) => {
      if (typeof body.targetUrl === 'string') await refuseTarget(body.targetUrl);
      const timeout = typeof timeoutSeconds === 'number' ? { timeoutSeconds: timeoutOf(timeoutSeconds) } : {};
      return save(id, { type: 'ChangeSubscription', changes: { ...givenSettings(body), ...timeout } }, meta);
    },
    regenerateSecret: (id, meta) => save(id, { type: 'RegenerateSecret' }, meta),
    remove: async (id, meta) => (await execute(id, { type: 'Unsubscribe' }, meta)).position,
  };
};

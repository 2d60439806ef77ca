import { randomBytes } from 'node:crypto';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { checkTarget, type ResolveHost } from '#runtime/check-target.ts';
import { isoInstant } from '#kernel/clock.ts';
import { notFound } from '#kernel/entity.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { TopicKey } from '#topics/topics.ts';
import { MOST_CONCURRENT } from '#values/webhook-concurrency.ts';
import { checkTargetUrl, type TargetPolicy } from '#values/target-address.ts';
import type { SubscriptionCommand, SubscriptionSettings } from './subscription.commands.ts';
import { settingsProblems, subscriptionDecider } from './subscription.decider.ts';

/** A subscription that has been made or changed. The secret is in clear: for those who may see it once. */
export interface SavedSubscription {
  readonly subscription: SubscriptionSettings & {
    readonly id: string;
    readonly topic: TopicKey;
    readonly dateCreated: string;
    readonly dateUpdated: string;
  };
  readonly secret: string;
  readonly position: number;
  /** False when everything was so already. */
  readonly hasChanged: boolean;
}

/** The settings given: null and omitted fields keep their value, or the default. */
export type SubscriptionChanges = {
  readonly [Setting in keyof SubscriptionSettings]?: SubscriptionSettings[Setting] | null | undefined;
};

export interface NewSubscription extends Omit<SubscriptionChanges, 'isActive'> {
  readonly name: string;
  readonly targetUrl: string;
  readonly topic: TopicKey;
}

export interface SubscriptionActionDeps extends Pick<CommandDeps, 'commands' | 'clock'> {
  readonly policy: TargetPolicy;
  readonly resolve: ResolveHost;
  readonly defaultTimeoutSeconds: number;
}

const secretBytes = 32;
const longestTimeoutSeconds = 300;

/** An empty text takes back what was set. */
const emptyIsNone = (text: string | null | undefined): string | null => (text === '' ? null : (text ?? null));

/** What is neither null nor left out; a text that may be missing is taken back when it is empty. */
const givenSettings = (body: Omit<SubscriptionChanges, 'timeoutSeconds'>): Partial<SubscriptionSettings> => {
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
  { name, targetUrl, ...body }: Omit<NewSubscription, 'topic'>,
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
  maxConcurrent: body.maxConcurrent ?? MOST_CONCURRENT,
  standardWebhooks: body.standardWebhooks ?? false,
});

const carrying = ({ commands, clock, defaultTimeoutSeconds }: SubscriptionActionDeps) => {
  const timeoutOf = (seconds: number): number =>
    Math.min(seconds > 0 ? seconds : defaultTimeoutSeconds, longestTimeoutSeconds);

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
    const { state, position, events, isRepeat } = await execute(id, command, meta);
    if (state.status !== 'subscribed') throw notFound('webhook subscription');
    const { settings, topic, signingSecret, dateCreated, dateUpdated } = state;
    return {
      subscription: { ...settings, id, topic, dateCreated, dateUpdated },
      secret: signingSecret,
      position,
      hasChanged: !isRepeat && events.length > 0,
    };
  };

  return {
    /** Makes a subscription. What its target's name resolves to is not asked. */
    subscribe: (id: string, { topic, ...given }: NewSubscription, meta: CommandMeta) => {
      const settings = newSettings(given, timeoutOf(given.timeoutSeconds ?? 0));
      return save(id, { type: 'Subscribe', topic, settings }, meta);
    },
    /** Replaces the given settings. What the target's name resolves to is not asked. */
    update: (id: string, { timeoutSeconds, ...given }: SubscriptionChanges, meta: CommandMeta) => {
      const timeout = typeof timeoutSeconds === 'number' ? { timeoutSeconds: timeoutOf(timeoutSeconds) } : {};
      const changes = { ...givenSettings(given), ...timeout };
      return save(id, { type: 'ChangeSubscription', changes }, meta);
    },
    regenerateSecret: (id: string, meta: CommandMeta) => save(id, { type: 'RegenerateSecret' }, meta),
    /** Returns the position. */
    remove: async (id: string, meta: CommandMeta): Promise<number> =>
      (await execute(id, { type: 'Unsubscribe' }, meta)).position,
    /** Null where there is no subscription. */
    topicOf: async (id: string): Promise<TopicKey | null> => {
      const { state } = await commands.load(subscriptionDecider, id);
      return state.status === 'subscribed' ? state.topic : null;
    },
  };
};

/** Errors: Rejections `invalid-request`, `entity-not-found`, `already-exists`. */
export const createSubscriptionActions = (deps: SubscriptionActionDeps) => {
  const { policy, resolve } = deps;
  const carried = carrying(deps);

  const refuseTarget = async (targetUrl: string): Promise<void> => {
    const target = await checkTarget(targetUrl, policy, resolve);
    if (target.kind !== 'refused') return;
    const message = `Target URL is not allowed: ${target.reason}.`;
    throw new Rejection('invalid-request', message, { errors: [`targetUrl: ${target.reason}`] });
  };

  return {
    ...carried,
    create: async (id: string, given: NewSubscription, meta: CommandMeta): Promise<SavedSubscription> => {
      await refuseTarget(given.targetUrl);
      return carried.subscribe(id, given, meta);
    },
    change: async (id: string, given: SubscriptionChanges, meta: CommandMeta): Promise<SavedSubscription> => {
      if (typeof given.targetUrl === 'string') await refuseTarget(given.targetUrl);
      return carried.update(id, given, meta);
    },
    /** What is wrong with a new subscription as far as its text goes, as `path: what was expected`. */
    problemsOf: (given: NewSubscription): readonly string[] => {
      const target = checkTargetUrl(given.targetUrl, policy);
      return [
        ...(target.isAllowed ? [] : [`targetUrl: ${target.reason}`]),
        ...settingsProblems(newSettings(given, 0)),
      ];
    },
  };
};

export type SubscriptionActions = ReturnType<typeof createSubscriptionActions>;

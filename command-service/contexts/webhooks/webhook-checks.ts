import { summaryOf, type Finding, type ShopCheck } from '#command/engine/shop-check.ts';
import { FAILING_AFTER } from './webhook-health.decider.ts';
import type { SubscriptionCounters } from '#topics/webhook-delivery.ts';

export interface WebhookCheckDeps {
  /** What the dispatcher has counted, subscription by subscription. */
  readonly allCounters: () => AsyncIterable<SubscriptionCounters>;
  /** The name of a subscription that is there and switched on; null for any other. */
  readonly activeName: (id: string) => Promise<string | null>;
}

const isFailing = ({ failuresInARow = 0 }: SubscriptionCounters): boolean => failuresInARow >= FAILING_AFTER;

/** Receivers that do not take what they are sent. */
export const webhookChecks = ({ allCounters, activeName }: WebhookCheckDeps): readonly ShopCheck[] => [
  {
    alias: 'webhooks-failing',
    name: 'Failing webhooks',
    description: `Subscriptions whose last ${FAILING_AFTER} attempts failed.`,
    icon: 'icon-wifi',
    sortOrder: 500,
    severity: 'error',
    summary: summaryOf(
      'webhook is failing',
      'webhooks are failing',
      `No receiver has failed ${FAILING_AFTER} times in a row.`,
    ),
    async *look(): AsyncIterable<Finding | null> {
      for await (const counters of allCounters()) {
        const name = isFailing(counters) ? await activeName(counters._id) : null;
        yield name === null
          ? null
          : {
              id: counters._id,
              name,
              description: counters.lastErrorMessage,
              editPath: `/webhooks/${counters._id}`,
              imageUrl: null,
            };
      }
    },
  },
];

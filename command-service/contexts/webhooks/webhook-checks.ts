import { summaryOf, type Finding, type ShopCheck } from '#command/engine/shop-check.ts';
import type { SubscriptionTally } from '#contracts/webhook-deliveries.contract.ts';

export interface WebhookCheckDeps {
  /** What the dispatcher has counted, subscription by subscription. */
  readonly tallies: () => AsyncIterable<SubscriptionTally>;
  /** The name of a subscription that is there and switched on; null for any other. */
  readonly activeName: (id: string) => Promise<string | null>;
}

/** A receiver that has had nothing since it last refused something. */
const isFailing = ({ lastFailureUtc, lastSuccessUtc }: SubscriptionTally): boolean =>
  lastFailureUtc !== null && (lastSuccessUtc === null || lastSuccessUtc < lastFailureUtc);

/** Receivers that do not take what they are sent. */
export const webhookChecks = ({ tallies, activeName }: WebhookCheckDeps): readonly ShopCheck[] => [
  {
    alias: 'webhooks-failing',
    name: 'Failing webhooks',
    description: 'Subscriptions whose receiver did not take the last thing that it was sent.',
    icon: 'icon-wifi',
    sortOrder: 500,
    severity: 'error',
    summary: summaryOf('webhook is failing', 'webhooks are failing', 'Every receiver takes what it is sent.'),
    async *look(): AsyncIterable<Finding | null> {
      for await (const tally of tallies()) {
        const name = isFailing(tally) ? await activeName(tally._id) : null;
        yield name === null
          ? null
          : {
              id: tally._id,
              name,
              description: tally.lastErrorMessage,
              editPath: `/webhooks/${tally._id}`,
              imageUrl: null,
            };
      }
    },
  },
];

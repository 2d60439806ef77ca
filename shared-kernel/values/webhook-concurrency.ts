/** How many attempts to one webhook subscription may be under way at once (docs/rules/webhooks.md#subscriptions). */
export const MOST_CONCURRENT = 32;

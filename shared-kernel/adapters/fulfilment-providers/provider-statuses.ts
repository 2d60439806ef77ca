import type { ProviderOrderStatus } from '#ports/fulfilment-provider.ts';

const words: readonly (readonly [ProviderOrderStatus, RegExp])[] = [
  ['Cancelled', /^(order )?cancell?ed$/],
  ['OnHold', /exception|hold/],
  ['Completed', /^(shipment )?delivered$/],
  ['Shipped', /^(labell?ed|in transit|out for delivery|completed|fulfilled|shipped)$/],
];

/** What a provider's status means for an order; an unknown one means that it is being processed. */
export const mappedStatus = (word: string): ProviderOrderStatus => {
  const plain = word
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_.-]+/g, ' ');
  return words.find(([, pattern]) => pattern.test(plain))?.[0] ?? 'Processing';
};

import type { PaymentProvider } from '#ports/payment-provider.ts';
import type { Timing } from '#runtime/metrics.ts';

/** The same provider, with every charge timed by provider and outcome; `failed` is an error of the adapter. */
export const timedProvider = (
  provider: PaymentProvider,
  timing: Pick<Timing, 'observe'>,
): PaymentProvider => {
  const { alias, charge } = provider;
  if (!charge) return provider;
  return {
    ...provider,
    charge: async (request) => {
      const begun = performance.now();
      let outcome = 'failed';
      try {
        const answer = await charge(request);
        outcome = answer.kind;
        return answer;
      } finally {
        timing.observe((performance.now() - begun) / 1000, alias, outcome);
      }
    },
  };
};

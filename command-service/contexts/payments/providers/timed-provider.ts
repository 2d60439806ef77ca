import type { PaymentProvider } from '#ports/payment-provider.ts';
import type { Timing } from '#runtime/metrics.ts';

/** The same provider, with charges and captures timed by provider and outcome; `failed` is an error of the adapter. */
export const timedProvider = (
  provider: PaymentProvider,
  timing: Pick<Timing, 'observe'>,
): PaymentProvider => {
  const { alias, charge, capture } = provider;
  const timed =
    <Request, Outcome extends { readonly kind: string }>(
      call: string,
      ask: (request: Request) => Promise<Outcome>,
    ) =>
    async (request: Request): Promise<Outcome> => {
      const begun = performance.now();
      let outcome = 'failed';
      try {
        const answer = await ask(request);
        outcome = answer.kind;
        return answer;
      } finally {
        timing.observe((performance.now() - begun) / 1000, alias, call, outcome);
      }
    };
  return {
    ...provider,
    ...(charge && { charge: timed('charge', charge) }),
    ...(capture && { capture: timed('capture', capture) }),
  };
};

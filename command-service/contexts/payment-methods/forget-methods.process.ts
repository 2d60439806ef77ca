import { callsOf, remember, type Process } from '#kernel/process.ts';
import { to } from '#kernel/stream.ts';
import type { MethodToForget } from './saved-methods.state.ts';
import { savedMethodsStream } from './saved-methods.stream.ts';

/** Methods that were removed here, and that their providers still have. */
export interface OpenForgetting {
  readonly customerId: string;
  readonly toForget: readonly MethodToForget[];
}

interface ForgottenMethod {
  readonly methodId: string;
  readonly isForgotten: boolean;
}

export interface ForgettingCalls {
  readonly forgetMethod: (method: MethodToForget) => Promise<ForgottenMethod>;
}

const call = callsOf<ForgettingCalls>();

/** Tells providers that a method is no longer used: again, until they confirm or a day has passed. */
export const forgetMethods: Process<OpenForgetting, readonly ForgottenMethod[]> = {
  name: 'forget-payment-methods',
  on: {
    PaymentMethodRemoved: 'opens',
    PaymentMethodsForgotten: ({ data }) => ((data as { readonly isLast: boolean }).isLast ? 'ends' : null),
  },
  takenOver: null,
  begins: () => [],
  steps: [
    {
      name: 'tell the providers',
      commands: ({ toForget }) =>
        toForget.map((method) => remember(call('forgetMethod', method), (told, one) => [...told, one])),
    },
    {
      name: 'note that they know',
      commands: ({ customerId }, told) => {
        const methodIds = told.filter(({ isForgotten }) => isForgotten).map(({ methodId }) => methodId);
        return methodIds.length === 0
          ? []
          : [to(savedMethodsStream, customerId, { type: 'NoteForgottenMethods', methodIds })];
      },
    },
  ],
  completes: null,
  fails: null,
};

import { paymentProvidersDecider } from './payment-providers.decider.ts';

export const paymentProvidersStream = { decider: paymentProvidersDecider };

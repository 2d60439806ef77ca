import type { PaymentProvider } from '#ports/payment-provider.ts';
import { methodIcons } from './method-icons.ts';

/**
 * Money that is taken by hand: nothing is charged, the form's reference is recorded. With `holdMinutes` the form is a
 * promise, and the backoffice records the money when it is there (docs/rules/payments.md#promises).
 */
export const manualProvider = (holdMinutes: number | null = null): PaymentProvider => ({
  alias: 'manual',
  displayName: 'Manual payment',
  methods: [
    {
      methodAlias: 'manual',
      displayName: 'Manual payment',
      integration: 'DirectForm',
      isExpress: false,
      methodType: null,
      iconHtml: methodIcons.byHand,
      description: 'Pay by transfer or in person, and say how.',
      sdk: null,
      formFields: [{ name: 'reference', label: 'Payment reference', type: 'text', required: false }],
    },
  ],
  fields: [],
  supports: {
    refunds: false,
    partialRefunds: false,
    authAndCapture: false,
    paymentLinks: false,
    requiresCallback: false,
  },
  direct: holdMinutes === null ? { kind: 'believed' } : { kind: 'promise', holdMinutes },
  checkToken: () => 'the manual provider takes no token; use process-direct-payment',
});

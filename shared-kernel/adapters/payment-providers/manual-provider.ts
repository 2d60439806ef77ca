import type { PaymentProvider } from '#ports/payment-provider.ts';

/** Money that was taken by hand: nothing is charged, the form's reference is recorded (decisions, management 6). */
export const manualProvider = (): PaymentProvider => ({
  alias: 'manual',
  displayName: 'Manual payment',
  methods: [
    {
      methodAlias: 'manual',
      displayName: 'Manual payment',
      integration: 'DirectForm',
      iconHtml: null,
      formFields: [{ name: 'reference', label: 'Payment reference', type: 'text', required: false }],
    },
  ],
  supportsVaulting: false,
  checkToken: () => 'the manual provider takes no token; use process-direct-payment',
  charge: () =>
    Promise.resolve({
      kind: 'refused',
      code: 'not-supported',
      message: 'The manual provider charges nothing.',
    }),
});

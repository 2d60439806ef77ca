import type { PaymentProvider } from '#ports/payment-provider.ts';

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
      iconHtml: null,
      formFields: [{ name: 'reference', label: 'Payment reference', type: 'text', required: false }],
    },
  ],
  supportsVaulting: false,
  holdMinutes,
  checkToken: () => 'the manual provider takes no token; use process-direct-payment',
  charge: () =>
    Promise.resolve({
      kind: 'refused',
      code: 'not-supported',
      message: 'The manual provider charges nothing.',
    }),
});

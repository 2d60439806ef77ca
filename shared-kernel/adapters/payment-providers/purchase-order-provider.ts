import type { PaymentProvider } from '#ports/payment-provider.ts';
import { methodIcons } from './method-icons.ts';

/** What customers with account terms buy before they pay: nothing is charged (docs/rules/purchase-orders.md). */
export const purchaseOrderProvider: PaymentProvider = {
  alias: 'purchaseorder',
  displayName: 'Purchase order',
  methods: [
    {
      methodAlias: 'purchaseorder',
      displayName: 'Purchase order',
      integration: 'DirectForm',
      isExpress: false,
      methodType: null,
      iconHtml: methodIcons.document,
      description: 'Order on account with the number of your purchase order.',
      sdk: null,
      formFields: [
        { name: 'purchaseOrderNumber', label: 'Purchase order number', type: 'text', required: true },
      ],
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
  direct: { kind: 'account' },
  checkToken: () => 'the provider of purchase orders takes no token; use process-direct-payment',
};

import { stepMeta } from '#command/engine/command-meta.ts';
import { providerRoutes } from '#command/engine/provider-routes.ts';
import { metaOf } from '#command/engine/request-meta.ts';
import { pageResponse } from '#contracts/listing.contract.ts';
import {
  availablePaymentProvidersResponse,
  paymentProviderResponse,
  paymentProviderBody,
  paymentProviderFieldsResponse,
  paymentProviderOrderBody,
  paymentProviderPage,
  paymentProvidersResponse,
  paymentProviderToggleBody,
} from '#contracts/payment-providers.contract.ts';
import { providerParams } from '#contracts/provider-fields.contract.ts';
import { admin, ok, reader, route, type Route } from '#http/route.ts';
import { defined } from '#kernel/defined.ts';
import type { PaymentMethodInfo, PaymentProvider } from '#ports/payment-provider.ts';
import { shownField, type ProviderField } from '#values/provider-field.ts';
import type { PaymentProviderActions, PaymentProviderInShop } from './payment-providers.actions.ts';

const common = { base: 'management', service: 'command', file: import.meta.url } as const;
const reading = { ...common, caller: reader, method: 'GET' } as const;
const changing = { ...common, caller: admin } as const;
const path = '/payment-providers';
const named = { params: providerParams };

const abilityOf = ({ supports, vault }: PaymentProvider) => ({
  supportsRefunds: supports.refunds,
  supportsPartialRefunds: supports.partialRefunds,
  supportsAuthAndCapture: supports.authAndCapture,
  supportsPaymentLinks: supports.paymentLinks,
  supportsVaultedPayments: vault !== undefined,
  requiresProviderCustomerId: vault?.requiresProviderCustomerId ?? false,
  requiresWebhook: supports.requiresCallback,
});

const methodRow = ({ methodAlias, displayName, integration, isExpress, methodType }: PaymentMethodInfo) => ({
  methodAlias,
  displayName,
  integrationType: integration,
  isExpressCheckout: isExpress,
  methodType,
});

const responseOf = ({ provider, methods, configuration, ...kept }: PaymentProviderInShop) => ({
  alias: provider.alias,
  ...kept,
  ...abilityOf(provider),
  methods: methods.map((method) => ({ ...methodRow(method), showInCheckout: method.isShown })),
  configuration,
});

/** Their types have capitals here. */
const fieldRow = (field: ProviderField) => ({
  ...shownField(field),
  type: field.type.charAt(0).toUpperCase() + field.type.slice(1),
});

const listRoutes = (actions: PaymentProviderActions): readonly Route[] => [
  route({
    ...reading,
    path,
    summary: 'The payment providers of the shop, in the order in which shoppers see them',
    response: paymentProviderPage,
    handle: () => {
      const items = actions.list().map(responseOf);
      return Promise.resolve(ok(pageResponse(items, items.length, { page: 1, pageSize: 50 })));
    },
  }),
  route({
    ...reading,
    path: `${path}/available`,
    summary: 'What the payment providers of the shop can do',
    response: availablePaymentProvidersResponse,
    handle: () =>
      Promise.resolve(
        ok(
          actions.list().map(({ provider }) => ({
            alias: provider.alias,
            displayName: provider.displayName,
            ...abilityOf(provider),
            methods: provider.methods.map(methodRow),
          })),
        ),
      ),
  }),
  route({
    ...changing,
    method: 'PUT',
    path: `${path}/reorder`,
    summary: 'Put payment providers in this order; those that are left out follow',
    schemas: { body: paymentProviderOrderBody },
    response: paymentProvidersResponse,
    errors: ['invalid-request'],
    handle: async (request) => {
      const { providers, position } = await actions.reorder(request.body.ids, metaOf(request));
      return ok(providers.map(responseOf), { position });
    },
  }),
];

const readingRoutes = (actions: PaymentProviderActions): readonly Route[] => [
  route({
    ...reading,
    path: `${path}/{alias}`,
    summary: 'A payment provider; its secrets are masked',
    schemas: named,
    response: paymentProviderResponse,
    errors: ['entity-not-found'],
    handle: ({ params }) => Promise.resolve(ok(responseOf(actions.get(params.alias)))),
  }),
  route({
    ...reading,
    path: `${path}/{alias}/fields`,
    summary: 'What a payment provider can be set to',
    schemas: named,
    response: paymentProviderFieldsResponse,
    errors: ['entity-not-found'],
    handle: ({ params }) => Promise.resolve(ok(actions.fields(params.alias).map(fieldRow))),
  }),
];

const presentRoute = (actions: PaymentProviderActions): Route =>
  route({
    ...changing,
    method: 'PUT',
    path: `${path}/{alias}`,
    summary: 'Say what shoppers see of a payment provider',
    schemas: { ...named, body: paymentProviderBody },
    response: paymentProviderResponse,
    errors: ['invalid-request', 'entity-not-found'],
    handle: async (request) => {
      const { alias } = request.params;
      const { isEnabled, displayName, vaultingEnabled, methods } = request.body;
      const said = defined({
        displayName,
        vaultingEnabled,
        methods: methods?.map((method) => ({
          methodAlias: method.methodAlias,
          ...defined({ displayName: method.displayName, isShown: method.showInCheckout }),
        })),
      });
      const meta = metaOf(request);
      const presented = await actions.present(alias, said, meta);
      const done =
        isEnabled === undefined ? presented : await actions.toggle(alias, isEnabled, stepMeta(meta));
      return ok(responseOf(done.provider), { position: Math.max(presented.position, done.position) });
    },
  });

const toggleRoute = (actions: PaymentProviderActions): Route =>
  route({
    ...changing,
    method: 'POST',
    path: `${path}/{alias}/toggle`,
    summary: 'Let shoppers pay by a provider, or no more',
    schemas: { ...named, body: paymentProviderToggleBody },
    response: paymentProviderResponse,
    errors: ['invalid-request', 'entity-not-found'],
    handle: async (request) => {
      const { params, body } = request;
      const set = await actions.toggle(params.alias, body.isEnabled, metaOf(request));
      return ok(responseOf(set.provider), { position: set.position });
    },
  });

const settingRoutes = ({ configure, test }: PaymentProviderActions): readonly Route[] =>
  providerRoutes({
    file: import.meta.url,
    path,
    response: paymentProviderResponse,
    actions: {
      test,
      configure: async (alias, given, meta) => {
        const { provider, position } = await configure(alias, given, meta);
        return { provider: responseOf(provider), position };
      },
    },
    configureErrors: ['invalid-request', 'entity-not-found', 'setting-fixed'],
    summaries: {
      configure: 'Change the settings of a payment provider: all fields at once; a masked secret stays',
      test: 'Ask a payment provider, and change nothing',
    },
  });

/** Payment providers as the backoffice keeps them (docs/rules/payment-providers.md#keeping). */
export const paymentProviderRoutes = (actions: PaymentProviderActions): readonly Route[] => [
  ...listRoutes(actions),
  ...readingRoutes(actions),
  presentRoute(actions),
  toggleRoute(actions),
  ...settingRoutes(actions),
];

import {
  availableProvidersResponse,
  providerDescription,
  rateProviderResponse,
  rateProviderNamed,
  rateProviderPage,
  snapshotResponse,
  snapshotResponseSchema,
} from '#contracts/currency.contract.ts';
import { pageResponse } from '#contracts/listing.contract.ts';
import { providerFieldsResponse, providerParams } from '#contracts/provider-fields.contract.ts';
import { ok, reader, route, type Route } from '#http/route.ts';
import { Rejection } from '#kernel/rejection.ts';
import { rateProviders } from '#values/exchange-rate-providers.ts';
import { shownField } from '#values/provider-field.ts';
import { referenceState, type ProjectionDeps } from '../../engine/service-deps.ts';

const file = import.meta.url;
const common = { method: 'GET', base: 'management', service: 'projection', caller: reader, file } as const;
const path = '/exchange-rate-providers';

/** Where exchange rates come from, and those in force (docs/rules/currency.md#providers). */
export const rateProviderRoutes = ({ reference, namedRateProvider }: ProjectionDeps): readonly Route[] => [
  route({
    ...common,
    path: `${path}/available`,
    summary: 'Every source of exchange rates that there is',
    response: availableProvidersResponse,
    handle: () => Promise.resolve(ok(rateProviders.map(providerDescription))),
  }),
  route({
    ...common,
    path,
    summary: 'The sources of exchange rates, as they are set',
    response: rateProviderPage,
    reads: [referenceState],
    handle: () => {
      const view = reference.exchangeRates.current();
      const items = rateProviders.map((one) => rateProviderResponse(one, view, namedRateProvider));
      return Promise.resolve(ok(pageResponse(items, items.length, { page: 1, pageSize: 50 })));
    },
  }),
  route({
    ...common,
    path: `${path}/snapshot`,
    summary: 'The exchange rates in force',
    response: snapshotResponseSchema,
    errors: ['entity-not-found'],
    reads: [referenceState],
    handle: () => {
      const snapshot = snapshotResponse(reference.exchangeRates.current());
      if (!snapshot) throw new Rejection('entity-not-found', 'There are no exchange rates yet.');
      return Promise.resolve(ok(snapshot));
    },
  }),
  route({
    ...common,
    path: `${path}/{alias}/fields`,
    summary: 'What a source of exchange rates can be set to',
    schemas: { params: providerParams },
    response: providerFieldsResponse,
    errors: ['entity-not-found'],
    handle: ({ params }) => {
      const description = rateProviderNamed(params.alias);
      if (!description) throw new Rejection('entity-not-found', 'There is no such exchange rate provider.');
      return Promise.resolve(ok(description.fields.map(shownField)));
    },
  }),
];

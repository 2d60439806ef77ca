import {
  availableProvidersAnswer,
  providerDescription,
  rateProviderAnswer,
  rateProviderNamed,
  rateProviderPage,
  snapshotAnswer,
  snapshotAnswerSchema,
} from '#contracts/currency.contract.ts';
import { pageAnswer } from '#contracts/listing.contract.ts';
import { providerFieldsAnswer, providerParams } from '#contracts/provider-fields.contract.ts';
import { ok, reader, route, type Route } from '#http/route.ts';
import { Rejection } from '#kernel/rejection.ts';
import { rateProviders } from '#values/exchange-rate-providers.ts';
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
    answer: availableProvidersAnswer,
    handle: () => Promise.resolve(ok(rateProviders.map(providerDescription))),
  }),
  route({
    ...common,
    path,
    summary: 'The sources of exchange rates, as they are set',
    answer: rateProviderPage,
    reads: [referenceState],
    handle: () => {
      const view = reference.exchangeRates.current();
      const items = rateProviders.map((one) => rateProviderAnswer(one, view, namedRateProvider));
      return Promise.resolve(ok(pageAnswer(items, items.length, { page: 1, pageSize: 50 })));
    },
  }),
  route({
    ...common,
    path: `${path}/snapshot`,
    summary: 'The exchange rates in force',
    answer: snapshotAnswerSchema,
    errors: ['entity-not-found'],
    reads: [referenceState],
    handle: () => {
      const snapshot = snapshotAnswer(reference.exchangeRates.current());
      if (!snapshot) throw new Rejection('entity-not-found', 'There are no exchange rates yet.');
      return Promise.resolve(ok(snapshot));
    },
  }),
  route({
    ...common,
    path: `${path}/{alias}/fields`,
    summary: 'What a source of exchange rates can be set to',
    schemas: { params: providerParams },
    answer: providerFieldsAnswer,
    errors: ['entity-not-found'],
    handle: ({ params }) => {
      const description = rateProviderNamed(params.alias);
      if (!description) throw new Rejection('entity-not-found', 'There is no such exchange rate provider.');
      return Promise.resolve(ok(description.fields));
    },
  }),
];

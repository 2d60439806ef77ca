import { metaOf } from '#command/engine/request-meta.ts';
import { MAX_DESCRIPTION } from '#fields/body-fields.ts';
import { countriesResponse, regionsResponse } from '#contracts/places.contract.ts';
import {
  descriptionEditorResponse,
  productOptionsResponse,
  regionsQuery,
  settingsResponse,
  settingsBody,
} from '#contracts/settings.contract.ts';
import { admin, ok, reader, route, type Route } from '#http/route.ts';
import { htmlRules } from '#values/html-rules.ts';
import { countries, regionsOf } from '#values/region.ts';
import type { StoreSettings } from '#values/store-settings.ts';
import type { SettingsActions } from './settings.actions.ts';

const common = { base: 'management', service: 'command', file: import.meta.url } as const;

/** What the forms of a backoffice offer, by the settings in force (docs/rules/settings.md#changing). */
const formRoutes = (settings: () => StoreSettings): readonly Route[] => [
  route({
    ...common,
    method: 'GET',
    path: '/countries',
    caller: reader,
    summary: 'Every country, by name',
    response: countriesResponse,
    handle: () => Promise.resolve(ok(countries())),
  }),
  route({
    ...common,
    method: 'GET',
    path: '/regions',
    caller: reader,
    summary: 'The regions of a country, by name',
    schemas: { query: regionsQuery },
    response: regionsResponse,
    errors: ['invalid-request'],
    handle: ({ query }) => Promise.resolve(ok(regionsOf(query.countryCode))),
  }),
  route({
    ...common,
    method: 'GET',
    path: '/product-options',
    caller: reader,
    summary: 'How many options a product may have, and values an option',
    response: productOptionsResponse,
    handle: () => {
      const { maxProductOptions, maxOptionValuesPerOption } = settings();
      return Promise.resolve(ok({ maxProductOptions, maxOptionValuesPerOption }));
    },
  }),
  route({
    ...common,
    method: 'GET',
    path: '/description-editor',
    caller: reader,
    summary: 'What descriptions may hold, for an editor that offers no more',
    response: descriptionEditorResponse,
    handle: () => {
      const { tags, attributes, linkSchemes, imageSchemes } = htmlRules;
      return Promise.resolve(
        ok({
          format: 'html',
          maxLength: MAX_DESCRIPTION,
          allowedTags: tags,
          allowedAttributes: attributes,
          ...{ linkSchemes, imageSchemes },
        }),
      );
    },
  }),
];

/** What staff see of the settings, and of what forms offer by them. */
export const settingsQueries = (
  inForce: SettingsActions['inForce'],
  settings: () => StoreSettings,
): readonly Route[] => [
  ...formRoutes(settings),
  route({
    ...common,
    method: 'GET',
    path: '/settings',
    caller: reader,
    summary: 'Every setting of the store: its value, its default and where the value comes from',
    response: settingsResponse,
    handle: () => Promise.resolve(ok({ items: inForce() })),
  }),
];

/** Served where they are changed: what is shown is what the next command is decided by. */
export const settingsRoutes = (
  { inForce, problems, change }: SettingsActions,
  settings: () => StoreSettings,
): readonly Route[] => [
  ...settingsQueries(inForce, settings),
  route({
    ...common,
    method: 'PUT',
    path: '/settings',
    caller: admin,
    summary: 'Change settings of the store, all of the given ones or none',
    schemas: { body: settingsBody },
    ruleProblems: ({ body }) => Promise.resolve(problems(body as Readonly<Record<string, unknown>>)),
    response: settingsResponse,
    errors: ['invalid-request', 'setting-fixed'],
    handle: async (request) => {
      const { position } = await change(request.body, metaOf(request));
      return ok({ items: inForce() }, { position });
    },
  }),
];

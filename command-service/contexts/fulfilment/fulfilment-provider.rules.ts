import type { FulfilmentProviderConfiguration } from '#entities/fulfilment-provider-configuration.entity.ts';
import type { EntityRules } from '#command/engine/entity-rules.ts';
import { rulesOn } from '#kernel/entity.ts';
import { fulfilmentProviderOf } from '#values/fulfilment-providers.ts';
import { fieldProblem, MOST_CHARACTERS, providerField, type ProviderField } from '#values/provider-field.ts';

const rule = rulesOn<FulfilmentProviderConfiguration>();

/** Numbers are stored as texts. */
const valueOf = ({ type }: ProviderField, text: string): string | number =>
  type === 'number' && /^\d{1,2}$/.test(text) ? Number(text) : text;

/** A configuration has only known fields, and all required ones. */
const rules = [
  rule(['providerKey', 'configuration'], ({ providerKey, configuration }) => {
    const fields = fulfilmentProviderOf(providerKey)?.fields ?? [];
    const missing = fields
      .filter(({ key, isRequired }) => isRequired && configuration[key] === undefined)
      .map(({ key }) => `configuration.${key}: must be a value`);
    const wrong = Object.entries(configuration).flatMap(([key, value]) => {
      const field = fields.find((one) => one.key === key);
      const problem = field
        ? fieldProblem(field, valueOf(field, value), `must be at most ${MOST_CHARACTERS} characters`)
        : `${providerKey} has no such setting`;
      return problem === null ? [] : [`configuration.${key}: ${problem}`];
    });
    const { transport, url } = configuration;
    const isWithoutUrl = transport === 'http' && url === undefined;
    return [...missing, ...wrong, ...(isWithoutUrl ? ['configuration.url: must be a value'] : [])];
  }),
];

const addressField = providerField('url', '', 'url');

/** The address of a provider is checked when it is entered, and again at every call. */
const refusedAddresses: NonNullable<EntityRules<FulfilmentProviderConfiguration>['unknown']> = async (
  { configuration = {} },
  { checkAddress },
) => {
  const addresses = ['baseUrl', 'url'].flatMap((key) => {
    const address = configuration[key];
    return address !== undefined && fieldProblem(addressField, address) === null ? [{ key, address }] : [];
  });
  const problems = addresses.map(async ({ key, address }) => {
    const checked = await checkAddress(address);
    return checked.kind === 'refused' ? [`configuration.${key}: ${checked.reason}`] : [];
  });
  return (await Promise.all(problems)).flat();
};

/** How staff may set a provider up (docs/rules/fulfilment.md#providers). */
export const fulfilmentProviderRules: EntityRules<FulfilmentProviderConfiguration> = {
  rules,
  unknown: refusedAddresses,
};

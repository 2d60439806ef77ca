import type { FulfilmentProviderConfiguration } from '#entities/fulfilment-provider-configuration.entity.ts';
import type { EntityRules } from '#command/engine/entity-rules.ts';
import { rulesOn } from '#kernel/entity.ts';
import { isEmail } from '#values/email-address.ts';
import type { ProviderField } from '#values/exchange-rate-providers.ts';
import { isWebAddress } from '#values/web-address.ts';
import {
  fulfilmentProviderOf,
  MOST_TIMEOUT_SECONDS,
  supplierTransports,
} from '#values/fulfilment-providers.ts';

const rule = rulesOn<FulfilmentProviderConfiguration>();
const MOST_CHARACTERS = 250;
const MOST_ADDRESS_CHARACTERS = 2000;

const isCallable = (text: string): boolean => text.length <= MOST_ADDRESS_CHARACTERS && isWebAddress(text);

const isTimeout = (text: string): boolean =>
  /^\d{1,2}$/.test(text) && Number(text) >= 1 && Number(text) <= MOST_TIMEOUT_SECONDS;

const isIn = (texts: readonly string[], text: string): boolean => texts.includes(text);

/** What the value of a field must be; null where it is that. */
const expected = ({ type }: ProviderField, value: string): string | null => {
  switch (type) {
    case 'url':
      return isCallable(value) ? null : 'must be an http or https address';
    case 'email':
      return isEmail(value) ? null : 'must be an e-mail address';
    case 'number':
      return isTimeout(value) ? null : `must be a whole number from 1 to ${MOST_TIMEOUT_SECONDS}`;
    case 'select':
      return isIn(supplierTransports, value) ? null : `must be one of ${supplierTransports.join(', ')}`;
    default:
      return value.length <= MOST_CHARACTERS ? null : `must be at most ${MOST_CHARACTERS} characters`;
  }
};

/** What a provider is set to: what it knows, and all that it needs. */
const rules = [
  rule(['providerKey', 'configuration'], ({ providerKey, configuration }) => {
    const fields = fulfilmentProviderOf(providerKey)?.fields ?? [];
    const missing = fields
      .filter(({ key, isRequired }) => isRequired && configuration[key] === undefined)
      .map(({ key }) => `configuration.${key}: must be a value`);
    const wrong = Object.entries(configuration).flatMap(([key, value]) => {
      const field = fields.find((one) => one.key === key);
      const problem = field ? expected(field, value) : `${providerKey} has no such setting`;
      return problem === null ? [] : [`configuration.${key}: ${problem}`];
    });
    const { transport, url } = configuration;
    const isWithoutUrl = transport === 'http' && url === undefined;
    return [...missing, ...wrong, ...(isWithoutUrl ? ['configuration.url: must be a value'] : [])];
  }),
];

/** The address that a provider is called at is looked at where it is entered, and again at every call. */
const refusedAddresses: NonNullable<EntityRules<FulfilmentProviderConfiguration>['unknown']> = async (
  { configuration = {} },
  { checkAddress },
) => {
  const addresses = ['baseUrl', 'url'].flatMap((key) => {
    const address = configuration[key];
    return address !== undefined && isCallable(address) ? [{ key, address }] : [];
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

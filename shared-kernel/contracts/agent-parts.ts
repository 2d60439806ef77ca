import { z } from 'zod';
import type { BuyerConsent, ProtocolAddress, ProtocolBuyer } from '#agents/protocol-parts.ts';
import type { ContextInput } from '#agents/protocol-inputs.ts';
import { defined } from '#kernel/defined.ts';
import { isEmail } from '#values/email-address.ts';

/**
 * What requests of agents have in common (docs/rules/agent-dialects.md#requests). Unknown members are taken along:
 * they are shown to the agent again.
 */

export type Said = Readonly<Record<string, unknown>>;

export const MAX_TEXT = 250;

/** Empty text and null say nothing. */
const words = z
  .string()
  .trim()
  .max(MAX_TEXT)
  .nullish()
  .transform((text) => text || undefined);

/** Only what is not read by name, and has a value. */
const furtherMembers = (given: Said, read: Said): Said | undefined => {
  const others = Object.entries(given).filter(
    ([name, value]) => !Object.hasOwn(read, name) && value !== null && value !== undefined,
  );
  return others.length === 0 ? undefined : Object.fromEntries(others);
};

const nameFields = { first_name: words, last_name: words, full_name: words, fullName: words, name: words };
type Names = { readonly [Name in keyof typeof nameFields]?: string | undefined };

/** One name is split at its last blank: "Ada Lovelace King" is a King. */
const namesOf = (given: Names): { firstName?: string; lastName?: string } => {
  if (given.first_name !== undefined || given.last_name !== undefined) {
    return defined({ firstName: given.first_name, lastName: given.last_name });
  }
  const whole = given.full_name ?? given.fullName ?? given.name ?? '';
  const blank = whole.lastIndexOf(' ');
  const [first, last] = blank < 0 ? [whole, ''] : [whole.slice(0, blank).trim(), whole.slice(blank + 1)];
  return defined({ firstName: first || undefined, lastName: last || undefined });
};

const addressFields = {
  ...nameFields,
  street_address: words,
  extended_address: words,
  address_locality: words,
  locality: words,
  city: words,
  address_region: words,
  region: words,
  state: words,
  postal_code: words,
  address_country: words,
  country: words,
  phone_number: words,
};

const addressOf = (given: z.output<z.ZodObject<typeof addressFields>>, read: Said): ProtocolAddress =>
  defined({
    ...namesOf(given),
    addressOne: given.street_address,
    addressTwo: given.extended_address,
    townCity: given.address_locality ?? given.locality ?? given.city,
    region: given.address_region ?? given.region ?? given.state,
    postalCode: given.postal_code,
    countryCode: (given.address_country ?? given.country)?.toUpperCase(),
    phone: given.phone_number,
    further: furtherMembers(given, read),
  });

export const agentAddress = z
  .looseObject(addressFields)
  .transform((given) => addressOf(given, addressFields));

const destinationFields = { ...addressFields, id: words };

export const agentDestination = z
  .looseObject(destinationFields)
  .transform((given) => ({ ...addressOf(given, destinationFields), ...defined({ id: given.id }) }));

const agreed = z
  .boolean()
  .nullish()
  .transform((given) => given ?? undefined);

const consent = z
  .object({ analytics: agreed, preferences: agreed, marketing: agreed, sale_of_data: agreed })
  .transform(({ analytics, preferences, marketing, sale_of_data }): BuyerConsent =>
    defined({ analytics, preferences, marketing, saleOfData: sale_of_data }),
  )
  .nullish()
  .transform((given) => given ?? undefined);

const buyerFields = {
  ...nameFields,
  email: words.refine((text) => text === undefined || isEmail(text), 'must be an e-mail address'),
  phone_number: words,
  consent,
};

export const agentBuyer = z.looseObject(buyerFields).transform((given): ProtocolBuyer =>
  defined({
    ...namesOf(given),
    email: given.email,
    phone: given.phone_number,
    consent: given.consent,
    further: furtherMembers(given, buyerFields),
  }),
);

const isText = (value: unknown): value is string => typeof value === 'string';

/** A hint that is no text is none. */
const hint = z
  .unknown()
  .optional()
  .transform((value) => (isText(value) && value.trim() !== '' ? value.trim() : undefined));

const hints = {
  address_country: hint,
  address_region: hint,
  postal_code: hint,
  intent: hint,
  language: hint,
  currency: hint,
};

const reverseDomain = /^[a-z][a-z0-9]*(?:\.[a-z][a-z0-9_]*)+$/;

const claims = z
  .unknown()
  .optional()
  .transform((value) => (Array.isArray(value) ? [...new Set(value.filter(isText))] : []));

export const agentContext = z
  .looseObject({ ...hints, eligibility: claims })
  .transform(({ eligibility, ...given }): ContextInput => {
    const echoable = eligibility.filter((claim) => reverseDomain.test(claim));
    return {
      ...defined({
        countryCode: given.address_country?.toUpperCase(),
        region: given.address_region,
        postalCode: given.postal_code,
        language: given.language,
        currency: given.currency?.toUpperCase(),
      }),
      eligibility,
      said: defined({ ...given, eligibility: echoable.length === 0 ? undefined : echoable }),
    };
  });

/** What led the buyer here: texts under names of the agent's. */
export const attribution = z
  .record(z.string(), z.unknown())
  .transform((given): Readonly<Record<string, string>> =>
    Object.fromEntries(Object.entries(given).filter((entry): entry is [string, string] => isText(entry[1]))),
  );

/** A currency is a hint, too. */
export const currencyHint = hint.transform((code) => code?.toUpperCase());

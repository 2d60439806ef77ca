import type { EventDefinition } from '#events/define-events.ts';
import { seal, unseal } from '#runtime/encryption.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** A field that is sealed by itself. */
interface Sealed {
  readonly $personal?: string;
  readonly $secret?: string;
}

/** The personal fields of an event under one seal: their values in this order. */
interface SealedTogether {
  readonly fields: readonly string[];
  readonly sealed: string;
}

/** Stands for a value that is the same as an earlier one. */
interface Same {
  readonly $same: number;
}

const TOGETHER = '$personal';

const isThere = (value: unknown): boolean => (value ?? null) !== null;

const sealedIn = (value: unknown): Sealed => (value ?? {}) as Sealed;

const togetherIn = (data: Fields): SealedTogether | undefined => data[TOGETHER] as SealedTogether | undefined;

export const isPersonal = ({ personalFields }: EventDefinition, data: Fields): boolean =>
  personalFields.some((field) => isThere(data[field]));

const valuesText = (values: readonly unknown[]): string => {
  const texts = values.map((value) => JSON.stringify(value));
  const once = texts.map((text, index) => {
    const first = texts.indexOf(text);
    const same = JSON.stringify({ $same: first } satisfies Same);
    return first < index && same.length < text.length ? same : text;
  });
  return `[${once.join(',')}]`;
};

const valuesIn = (text: string): readonly unknown[] => {
  const values = JSON.parse(text) as readonly unknown[];
  return values.map((value) => {
    const first = (value as Same | null)?.$same;
    return typeof first === 'number' ? values[first] : value;
  });
};

const sealedTogether = (data: Fields, fields: readonly string[], key: Buffer): Fields => {
  const open = Object.fromEntries(Object.entries(data).filter(([field]) => !fields.includes(field)));
  const sealed = seal(key, valuesText(fields.map((field) => data[field])));
  return { ...open, [TOGETHER]: { fields, sealed } satisfies SealedTogether };
};

/**
 * The data with its personal fields encrypted under the subject's key. Several share a seal, and what two of them say
 * alike stands in it once.
 */
export const sealPersonal = (
  { personalFields }: EventDefinition,
  data: Fields,
  subjectKey: Buffer,
): Fields => {
  const fields = personalFields.filter((field) => isThere(data[field]));
  const [only] = fields;
  if (fields.length > 1) return sealedTogether(data, fields, subjectKey);
  if (only === undefined) return data;
  return { ...data, [only]: { $personal: seal(subjectKey, JSON.stringify(data[only])) } satisfies Sealed };
};

export const sealSecrets = ({ secretFields }: EventDefinition, data: Fields, secretKey: Buffer): Fields => {
  const sealed = secretFields
    .filter((field) => isThere(data[field]))
    .map((field) => [field, { $secret: seal(secretKey, JSON.stringify(data[field])) } satisfies Sealed]);
  return { ...data, ...Object.fromEntries(sealed) };
};

/** Whether something of it was encrypted under its subject's key, in either form. */
export const isSealed = ({ personalFields }: EventDefinition, data: Fields): boolean =>
  togetherIn(data) !== undefined ||
  personalFields.some((field) => sealedIn(data[field]).$personal !== undefined);

const opened = (key: Buffer | undefined, sealed: string): string | null =>
  key ? (unseal(key, sealed)?.toString() ?? null) : null;

const openedValue = (key: Buffer | undefined, sealed: string): unknown => {
  const text = opened(key, sealed);
  return text === null ? null : JSON.parse(text);
};

/** The data in clear. What no key opens any more is null. */
export const openFields = (
  { personalFields, secretFields }: EventDefinition,
  data: Fields,
  keys: { readonly subjectKey: Buffer | undefined; readonly secretKey: Buffer },
): Fields => {
  if (personalFields.length + secretFields.length === 0) return data;
  const { [TOGETHER]: _, ...clear } = data as Record<string, unknown>;
  for (const field of personalFields) {
    const { $personal } = sealedIn(clear[field]);
    if ($personal !== undefined) clear[field] = openedValue(keys.subjectKey, $personal);
  }
  for (const field of secretFields) {
    const { $secret } = sealedIn(clear[field]);
    if ($secret !== undefined) clear[field] = openedValue(keys.secretKey, $secret);
  }
  const together = togetherIn(data);
  if (!together) return clear;
  const text = opened(keys.subjectKey, together.sealed);
  const values = text === null ? [] : valuesIn(text);
  together.fields.forEach((field, index) => (clear[field] = values[index] ?? null));
  return clear;
};

/** Says of encrypted fields only that there is something; of what an older release wrote in clear as well. */
export const maskFields = (
  data: Fields,
  { personalFields, secretFields }: Pick<EventDefinition, 'personalFields' | 'secretFields'>,
): Fields => {
  const { [TOGETHER]: _, ...rest } = data;
  const masked = Object.entries(rest).map(([field, value]) => {
    const { $personal, $secret } = sealedIn(value);
    const isIn = (fields: readonly string[]): boolean => value !== null && fields.includes(field);
    if ($personal !== undefined || isIn(personalFields)) return [field, '(personal)'];
    return [field, $secret !== undefined || isIn(secretFields) ? '(secret)' : value];
  });
  const personal = (togetherIn(data)?.fields ?? []).map((field) => [field, '(personal)']);
  return Object.fromEntries([...masked, ...personal]);
};

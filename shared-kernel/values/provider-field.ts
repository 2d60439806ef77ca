import { isEmail } from './email-address.ts';
import { keptAddress, shownAddress } from './secret-address.ts';
import { isWebAddress } from './web-address.ts';

/** A field of what a provider is set to, as the backoffice shows a form for it. */
export interface ProviderField {
  readonly key: string;
  readonly label: string;
  /** `rates`: exchange rates by currency. */
  readonly type: 'text' | 'secret' | 'url' | 'email' | 'boolean' | 'number' | 'select' | 'rates';
  readonly isRequired: boolean;
  /** Encrypted in the log and in snapshots, and masked wherever it is read. */
  readonly isSecret: boolean;
  readonly defaultValue: string | number | null;
  /** Of a `select`. */
  readonly options?: readonly string[];
  /** Of a `number`; any finite one where it is left out. */
  readonly range?: { readonly from: number; readonly to: number; readonly isWhole?: boolean };
}

/** What a provider is set to, by the keys of its fields. */
export type ProviderConfiguration = Readonly<Record<string, string | number | boolean>>;

type Configuration = Readonly<Record<string, unknown>>;

/** An optional field without a default, but for what is said. */
export const providerField = <Type extends ProviderField['type'], More extends Partial<ProviderField>>(
  key: string,
  label: string,
  type: Type,
  more?: More,
) => ({ key, label, type, isRequired: false, isSecret: false, defaultValue: null, ...more });

/** A field as callers read it. */
export const shownField = ({ options: _, range: __, ...field }: ProviderField) => field;

export const MOST_CHARACTERS = 250;
const MOST_ADDRESS_CHARACTERS = 2000;

const numberProblem = ({ range }: ProviderField, value: unknown): string | null => {
  const isNumber = typeof value === 'number' && Number.isFinite(value);
  if (!range) return isNumber ? null : 'must be a number';
  const { from, to, isWhole = false } = range;
  if (isNumber && value >= from && value <= to && (!isWhole || Number.isInteger(value))) return null;
  return `must be a ${isWhole ? 'whole number' : 'number'} from ${from} to ${to}`;
};

/** What the value of a field must be; null where it is that. `textProblem`: of a text that is none or too long. */
export const fieldProblem = (
  field: ProviderField,
  value: unknown,
  textProblem = `must be text of at most ${MOST_CHARACTERS} characters`,
): string | null => {
  const { type, options = [] } = field;
  const text = typeof value === 'string' ? value : null;
  switch (type) {
    case 'number':
      return numberProblem(field, value);
    case 'boolean':
      return typeof value === 'boolean' ? null : 'must be true or false';
    case 'select':
      return text !== null && options.includes(text) ? null : `must be one of ${options.join(', ')}`;
    case 'email':
      return text !== null && isEmail(text) ? null : 'must be an e-mail address';
    case 'url':
      return text !== null && text.length <= MOST_ADDRESS_CHARACTERS && isWebAddress(text)
        ? null
        : 'must be an http or https address';
    case 'text':
    case 'secret':
      return text !== null && text.length <= MOST_CHARACTERS ? null : textProblem;
    case 'rates':
      return typeof value === 'object' ? null : 'must be rates by currency';
  }
};

/** Stands for a secret that is set; sent back, it keeps it. */
const SECRET_MASK = '***';

/** A configuration as staff may read it: no secret, and no key in an address. What no field names may be one. */
export const shownConfiguration = <Value>(
  fields: readonly ProviderField[],
  configuration: Readonly<Record<string, Value>>,
): Record<string, Value | string> => {
  const isSecret = (key: string): boolean => fields.find((field) => field.key === key)?.isSecret ?? true;
  const shown = (value: Value): Value | string => (typeof value === 'string' ? shownAddress(value) : value);
  return Object.fromEntries(
    Object.entries(configuration).map(([key, value]) => [key, isSecret(key) ? SECRET_MASK : shown(value)]),
  );
};

/** A configuration as it is meant: a value sent as it is shown stays as it was. */
export const meantConfiguration = (
  given: Configuration,
  before: Configuration,
  isMasked: (key: string) => boolean = () => true,
): Configuration =>
  Object.fromEntries(
    Object.entries(given).map(([key, value]) => {
      const known = before[key];
      if (value === SECRET_MASK && isMasked(key)) return [key, known];
      const isText = typeof value === 'string' && typeof known === 'string';
      return [key, isText ? keptAddress(value, known) : value];
    }),
  );

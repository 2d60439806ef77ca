import { refuseProblems } from '#kernel/entity.ts';
import { Rejection } from '#kernel/rejection.ts';
import {
  fieldProblem,
  meantConfiguration,
  type ProviderConfiguration,
  type ProviderField,
} from '#values/provider-field.ts';

interface Reading {
  readonly provider: { readonly alias: string; readonly fields: readonly ProviderField[] };
  /** What the backoffice has set before. */
  readonly before: ProviderConfiguration;
  /** What the configuration of the shop gives: the backoffice cannot change it. */
  readonly fixed?: ProviderConfiguration;
  /** True where a required field may still be empty. */
  readonly mayBeIncomplete?: boolean;
  /** What a text must be, where it is none or too long. */
  readonly textProblem?: string;
}

const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === '';

/**
 * A configuration as the fields of its provider have it, without what is empty; what comes as it is shown stays as it
 * was. Errors: Rejection `invalid-request`, naming each field that is wrong, and `setting-fixed`.
 */
export const readConfiguration = (
  given: Readonly<Record<string, unknown>>,
  { provider: { alias, fields }, before, fixed = {}, mayBeIncomplete = false, textProblem }: Reading,
): ProviderConfiguration => {
  const known = fields.map(({ key }) => key);
  const isSecret = (key: string): boolean => fields.some((field) => field.key === key && field.isSecret);
  const meant = meantConfiguration(given, { ...before, ...fixed }, isSecret);
  const problems = Object.keys(given)
    .filter((key) => !known.includes(key))
    .map((key) => `configuration.${key}: there is no such field`);
  const entries = fields.flatMap((field): [string, unknown][] => {
    const { key, isRequired } = field;
    const value = fixed[key] === undefined ? meant[key] : before[key];
    const isMissing = isEmpty(value);
    const problem = isMissing
      ? isRequired && !mayBeIncomplete
        ? 'must be a value'
        : null
      : fieldProblem(field, value, textProblem);
    if (problem !== null) problems.push(`configuration.${key}: ${problem}`);
    return isMissing ? [] : [[key, value]];
  });
  refuseProblems(problems);
  const changed = known.filter(
    (key) => fixed[key] !== undefined && meant[key] !== undefined && meant[key] !== fixed[key],
  );
  if (changed.length > 0) {
    const named = changed.map((key) => `configuration.${key}`).join(', ');
    const message = `${named}: the configuration of the shop gives ${alias} its value. Change it there.`;
    throw new Rejection('setting-fixed', message);
  }
  return Object.fromEntries(entries) as ProviderConfiguration;
};

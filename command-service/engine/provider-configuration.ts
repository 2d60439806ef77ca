import { refuseProblems } from '#kernel/entity.ts';

/** A field of what a provider is set to. */
interface Field {
  readonly key: string;
  readonly type: string;
  readonly isRequired: boolean;
}

const MAX_TEXT = 250;

/**
 * A configuration as the fields of its provider have it, without what is empty. Errors: Rejection `invalid-request`
 * that names each field with what was expected.
 */
export const readConfiguration = (
  fields: readonly Field[],
  given: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string | number>> => {
  const problems: string[] = [];
  const known = fields.map(({ key }) => key);
  for (const key of Object.keys(given))
    if (!known.includes(key)) problems.push(`configuration.${key}: there is no such field`);
  const entries = fields.flatMap(({ key, type, isRequired }): [string, string | number][] => {
    const value = given[key];
    if (value === undefined || value === null || value === '') {
      if (isRequired) problems.push(`configuration.${key}: must be a value`);
      return [];
    }
    if (type === 'number' && typeof value === 'number' && Number.isFinite(value)) return [[key, value]];
    if (type === 'text' && typeof value === 'string' && value.length <= MAX_TEXT) return [[key, value]];
    problems.push(`configuration.${key}: must be a ${type}`);
    return [];
  });
  refuseProblems(problems);
  return Object.fromEntries(entries);
};

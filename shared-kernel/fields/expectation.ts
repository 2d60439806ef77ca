import type { z } from 'zod';

type RawIssue = Parameters<z.core.$ZodErrorMap>[0];

const nouns: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  date: 'a date',
  email: 'an e-mail address',
  guid: 'a GUID',
  uuid: 'a GUID',
  url: 'a URL',
  datetime: 'an ISO 8601 date and time',
};

/** The verb and the unit in which a size is given. */
const sizes: Readonly<Record<string, readonly [string, string]>> = {
  string: ['be', 'characters'],
  array: ['have', 'entries'],
  set: ['have', 'entries'],
};

const bound = (issue: RawIssue & { code: 'too_small' | 'too_big' }): string => {
  const limit = issue.code === 'too_small' ? issue.minimum : issue.maximum;
  const isInclusive = issue.inclusive ?? true;
  if (issue.code === 'too_small') {
    const size = sizes[issue.origin];
    if (size) return limit === 1 ? 'must not be empty' : `must ${size[0]} at least ${limit} ${size[1]}`;
    return isInclusive ? `must be ${limit} or more` : `must be more than ${limit}`;
  }
  const size = sizes[issue.origin];
  if (size) return `must ${size[0]} at most ${limit} ${size[1]}`;
  return isInclusive ? `must be ${limit} or less` : `must be less than ${limit}`;
};

/** What a value must be, in plain words. A schema's own message wins over these. */
export const expectation: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${nouns[issue.expected] ?? issue.expected}`;
    case 'invalid_format':
      return `must be ${nouns[issue.format] ?? 'another format'}`;
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`;
    case 'too_small':
    case 'too_big':
      return bound(issue);
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_key':
      return issue.issues[0]?.message;
    case 'invalid_union':
      return alternatives(issue.errors);
    default:
      return undefined;
  }
};

const alternatives = (errors: readonly (readonly z.core.$ZodIssue[])[]): string => {
  const all = errors.flatMap(([first]) => (first ? [first.message.replace(/^must be /, '')] : []));
  return all.length === 0 ? 'must be another value' : `must be ${[...new Set(all)].join(' or ')}`;
};

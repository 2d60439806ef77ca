import type { z } from 'zod';

type RawIssue = Parameters<z.core.$ZodErrorMap>[0];

const nouns: Readonly<Record<string, string>> = {
  string: 'a text',
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

const units: Readonly<Record<string, string>> = { string: 'characters', array: 'entries', set: 'entries' };

const bound = (issue: RawIssue & { code: 'too_small' | 'too_big' }): string => {
  const limit = issue.code === 'too_small' ? issue.minimum : issue.maximum;
  const isInclusive = issue.inclusive ?? true;
  if (issue.code === 'too_small') {
    const unit = units[issue.origin];
    if (unit) return `at least ${limit} ${unit} were expected`;
    return isInclusive ? `${limit} or more was expected` : `more than ${limit} was expected`;
  }
  const unit = units[issue.origin];
  if (unit) return `at most ${limit} ${unit} were expected`;
  return isInclusive ? `${limit} or less was expected` : `less than ${limit} was expected`;
};

/** Says of a value what was expected instead, in the words of people. A schema's own words win over these. */
export const expectation: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return `${nouns[issue.expected] ?? issue.expected} was expected`;
    case 'invalid_format':
      return `${nouns[issue.format] ?? 'another format'} was expected`;
    case 'invalid_value':
      return `one of ${issue.values.map(String).join(', ')} was expected`;
    case 'too_small':
    case 'too_big':
      return bound(issue);
    case 'not_multiple_of':
      return `a multiple of ${issue.divisor} was expected`;
    case 'invalid_key':
      return issue.issues[0]?.message;
    case 'invalid_union':
      return alternatives(issue.errors);
    default:
      return undefined;
  }
};

const alternatives = (errors: readonly (readonly z.core.$ZodIssue[])[]): string => {
  const all = errors.flatMap(([first]) => (first ? [first.message.replace(/ was expected$/, '')] : []));
  return all.length === 0 ? 'another value was expected' : `${[...new Set(all)].join(' or ')} was expected`;
};

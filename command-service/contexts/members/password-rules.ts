import type { PasswordRules } from '#values/store-settings.ts';

/** What hashing has to read is bounded, too. */
const MAX_LENGTH = 1000;

type Check = readonly [isWanted: boolean, isMet: boolean, problem: string];

/** What a password lacks, for people; empty when it will do (docs/rules/members.md#passwords). */
export const passwordProblems = (password: string, rules: PasswordRules): readonly string[] => {
  const length = [...password.normalize('NFKC')].length;
  const checks: readonly Check[] = [
    [true, length >= rules.minLength, `Use at least ${rules.minLength} characters.`],
    [true, password.length <= MAX_LENGTH, `Use at most ${MAX_LENGTH} characters.`],
    [rules.requireDigit, /\p{Nd}/u.test(password), 'Use at least one digit.'],
    [rules.requireUpper, /\p{Lu}/u.test(password), 'Use at least one capital letter.'],
    [rules.requireLower, /\p{Ll}/u.test(password), 'Use at least one small letter.'],
    [
      rules.requireNonAlphanumeric,
      /[^\p{L}\p{N}]/u.test(password),
      'Use at least one character that is neither a letter nor a digit.',
    ],
  ];
  return checks.flatMap(([isWanted, isMet, problem]) => (isWanted && !isMet ? [problem] : []));
};

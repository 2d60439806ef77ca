import { isEmail } from '#values/email-address.ts';
import { inOneLine, lookUp, writtenValue, type MailData } from './look-up.ts';

/** Longer subjects are cut off by those who receive them. */
const MOST_IN_SUBJECT = 250;
const token = /\{\{\s*([\w.]+)\s*\}\}/g;

/** The tokens of an expression, as they stand in it. */
export const tokensOf = (expression: string): readonly string[] =>
  [...expression.matchAll(token)].map(([, path = '']) => path);

/** Braces that are no token. */
export const hasStrayBraces = (expression: string): boolean =>
  /\{\{|\}\}/.test(expression.replace(token, ''));

interface Filled {
  readonly text: string;
  /** The tokens that name nothing, or an empty text. */
  readonly empty: readonly string[];
}

const fill = (expression: string, data: MailData): Filled => {
  const empty: string[] = [];
  const text = expression.replace(token, (_, path: string) => {
    const value = inOneLine(writtenValue(lookUp(data, path)) ?? '');
    if (value === '') empty.push(path);
    return value;
  });
  return { text, empty };
};

/** In one line, whatever stands in the values. */
export const subjectOf = (expression: string, data: MailData): string =>
  inOneLine(fill(expression, data).text).slice(0, MOST_IN_SUBJECT);

/** What ends an address in a header, or begins another one. */
const breaksOut = /[\s"(),:;<>[\]\\]/;

/** An address that a header can name as it is, and that names no other. */
export const isOneAddress = (text: string): boolean => isEmail(text) && !breaksOut.test(text);

/** A name as it stands before an address. */
const displayName = (text: string): string =>
  text
    .replace(/["\\<>(),:;@[\]]/g, ' ')
    .replace(/ +/g, ' ')
    .trim();

const named = /^(.*)<([^<>]*)>$/s;

/** The recipients of an expression, each by itself; a comma within quotes parts none. */
const parted = (expression: string): readonly string[] =>
  (expression.match(/(?:"[^"]*"|[^,;"])+/g) ?? []).map((part) => part.trim()).filter((part) => part !== '');

export type Recipients =
  | { readonly kind: 'recipients'; readonly addresses: readonly string[] }
  /** `reason`: without any value, which may be personal. */
  | { readonly kind: 'refused'; readonly reason: string };

/**
 * The addresses that an expression names. Parted before anything is filled in, so that no value adds one
 * (docs/rules/mails.md#recipients). Those whose tokens are empty are left out.
 */
export const recipientsOf = (expression: string, data: MailData): Recipients => {
  const addresses: string[] = [];
  for (const part of parted(expression)) {
    const [, name = null, inBrackets = part] = named.exec(part) ?? [];
    const address = fill(inBrackets.trim(), data);
    if (address.empty.length > 0) continue;
    if (!isOneAddress(address.text))
      return { kind: 'refused', reason: `${inBrackets.trim()} must be one e-mail address` };
    const called = name === null ? '' : displayName(fill(name, data).text);
    addresses.push(called === '' ? address.text : `"${called}" <${address.text}>`);
  }
  return { kind: 'recipients', addresses };
};

import { escapeHtml } from '#values/escape-html.ts';
import { inOneLine, lookUp, writtenValue, type MailData } from './look-up.ts';

/** A template is wrong. The message says what, for who wrote it. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
}

export type TemplateFormat = 'text' | 'html';

interface Token {
  readonly kind: 'token';
  readonly path: string;
  /** Where a link begins: it may lead to a web or mail address only. */
  readonly isLink: boolean;
}

interface Section {
  readonly kind: 'section';
  readonly path: string;
  /** It is written where there is nothing of that name. */
  readonly isInverted: boolean;
  readonly nodes: readonly Node[];
}

type Node = string | Token | Section;

export interface CompiledTemplate {
  readonly format: TemplateFormat;
  readonly nodes: readonly Node[];
}

/** The two bodies of a mail. */
export interface MailTemplate {
  readonly text: CompiledTemplate;
  readonly html: CompiledTemplate;
}

/** `{{a.b}}`, `{{#lines}} … {{/lines}}`, `{{^lines}} … {{/lines}}`, `{{> part}}`. */
const tag = /\{\{\s*([#^/>]?)\s*([\w.-]+)\s*\}\}/g;
const MOST_DEEP = 10;
const MOST_WRITTEN = 1_000_000;

/** The parts that a template takes in, by name. */
export const partsOf = (source: string): readonly string[] =>
  [...source.matchAll(tag)].flatMap(([, sign, name = '']) => (sign === '>' ? [name] : []));

const startsLink = /(?:href|src)\s*=\s*["']$/i;

/** Within a tag, in the value of an attribute without quotes: a blank in it would begin another attribute. */
const isUnquoted = (before: string): boolean => {
  const tag = /<[^<>]*$/.exec(before)?.[0] ?? '';
  const outsideQuotes = tag.replace(/"[^"]*"|'[^']*'/g, '');
  return !/["']/.test(outsideQuotes) && /=\s*\S*$/.test(outsideQuotes);
};

/** A tag of a section or of a part that has a line to itself takes the line with it. */
const withoutOwnLines = (source: string): string =>
  source.replace(/^[ \t]*(\{\{\s*[#^/>]\s*[\w.-]+\s*\}\})[ \t]*\r?\n/gm, '$1');

interface Reading {
  readonly format: TemplateFormat;
  readonly parts: ReadonlyMap<string, string>;
  readonly depth: number;
}

const withParts = (source: string, reading: Reading): string => {
  if (reading.depth > MOST_DEEP)
    throw new TemplateError(`parts take in each other more than ${MOST_DEEP} deep`);
  return withoutOwnLines(source).replace(tag, (whole, sign: string, name: string) => {
    if (sign !== '>') return whole;
    const part = reading.parts.get(name);
    if (part === undefined) throw new TemplateError(`{{> ${name}}}: there is no part of that name`);
    return withParts(part, { ...reading, depth: reading.depth + 1 });
  });
};

const literal = (text: string): string => {
  const stray = text.indexOf('{{');
  if (stray >= 0)
    throw new TemplateError(`${text.slice(stray, stray + 40)}: must be {{path.to.property}} or a section`);
  return text;
};

interface Open {
  readonly path: string;
  readonly isInverted: boolean;
  readonly nodes: Node[];
}

/** Reads a template. `parts`: the sources of those that it takes in. Errors: `TemplateError`. */
export const compileTemplate = (
  given: string,
  format: TemplateFormat,
  parts: ReadonlyMap<string, string> = new Map(),
): CompiledTemplate => {
  const source = withParts(given, { format, parts, depth: 0 });
  const open: Open[] = [{ path: '', isInverted: false, nodes: [] }];
  const add = (node: Node): void => void open.at(-1)?.nodes.push(node);
  let read = 0;
  for (const { index, 0: whole, 1: sign = '', 2: path = '' } of source.matchAll(tag)) {
    add(literal(source.slice(read, index)));
    read = index + whole.length;
    if (sign === '#' || sign === '^') open.push({ path, isInverted: sign === '^', nodes: [] });
    else if (sign === '/') {
      const section = open.length > 1 ? open.pop() : undefined;
      if (section?.path !== path)
        throw new TemplateError(`${whole}: ends a section that is not the open one`);
      add({ kind: 'section', ...section });
    } else {
      const before = source.slice(Math.max(0, index - 200), index);
      if (format === 'html' && isUnquoted(before))
        throw new TemplateError(`${whole}: must stand in quotes, as in href="${whole}"`);
      add({ kind: 'token', path, isLink: format === 'html' && startsLink.test(before) });
    }
  }
  add(literal(source.slice(read)));
  const [root, unended] = open;
  if (unended) throw new TemplateError(`{{#${unended.path}}}: must end with {{/${unended.path}}}`);
  return { format, nodes: root?.nodes ?? [] };
};

const isNothing = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === false ||
  value === '' ||
  value === 0 ||
  (Array.isArray(value) && value.length === 0);

const isLinkTarget = (text: string): boolean => /^(?:https?:\/\/|mailto:|tel:)/i.test(text);

const write = (value: unknown, { isLink }: Token, format: TemplateFormat): string => {
  const text = inOneLine(writtenValue(value) ?? '');
  if (format === 'text') return text;
  return escapeHtml(isLink && !isLinkTarget(text) ? '#' : text);
};

export interface Written {
  readonly text: string;
  /** The tokens that name nothing: nothing stands in their place. */
  readonly unresolved: ReadonlySet<string>;
}

/**
 * Fills a template in (docs/rules/mails.md#templates). Values are escaped in HTML, and written in one line. Errors:
 * `TemplateError` where it becomes too long.
 */
export const fillIn = ({ format, nodes }: CompiledTemplate, data: MailData): Written => {
  const unresolved = new Set<string>();
  const pieces: string[] = [];
  let length = 0;
  const put = (piece: string): void => {
    length += piece.length;
    if (length > MOST_WRITTEN) throw new TemplateError(`the mail must be ${MOST_WRITTEN} characters or less`);
    pieces.push(piece);
  };
  const walk = (inside: readonly Node[], scopes: readonly unknown[]): void => {
    for (const node of inside) {
      if (typeof node === 'string') {
        put(node);
        continue;
      }
      const value = lookUp(data, node.path, scopes);
      if (node.kind === 'token') {
        if (writtenValue(value) === undefined) unresolved.add(node.path);
        put(write(value, node, format));
      } else if (isNothing(value) === node.isInverted) {
        const entries = node.isInverted ? [undefined] : Array.isArray(value) ? value : [value];
        for (const entry of entries) walk(node.nodes, node.isInverted ? scopes : [...scopes, entry]);
      }
    }
  };
  walk(nodes, []);
  return { text: pieces.join(''), unresolved };
};

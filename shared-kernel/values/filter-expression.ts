import { Decimal } from 'decimal.js';

/**
 * The conditions under which a subscription wants a message (docs/rules/webhooks.md#filters):
 *
 *     expression := and ("||" and)*         and   := unary ("&&" unary)*
 *     unary      := "!" unary | "(" expression ")" | comparison
 *     comparison := path (operator literal)?       without an operator: the value is there and not false, 0, '' or null
 *     path       := ["$"] ["."] name ("." name | "[" index "]")*       from "$." on in the envelope, else in its data
 *     literal    := number | 'text' | "text" | true | false | null | "[" literal, … "]"
 */
export type FilterPredicate = (envelope: { readonly data: unknown }) => boolean;

/** Not an expression. `position` is the offset of the first character that does not fit, from 0. */
export class FilterSyntaxError extends Error {
  override readonly name = 'FilterSyntaxError';
  readonly position: number;

  constructor(expected: string, position: number) {
    super(`must be ${expected} at character ${position + 1}`);
    this.position = position;
  }
}

export const MAX_FILTER_LENGTH = 2000;
const MAX_DEPTH = 32;

type Literal = Decimal | string | boolean | null | readonly Literal[];
type Read = (envelope: { readonly data: unknown }) => unknown;
type Compare = (value: unknown, literal: Literal) => boolean;

interface Token {
  readonly kind: 'symbol' | 'name' | 'number' | 'text' | 'end';
  readonly text: string;
  readonly position: number;
}

const tokenPattern =
  /\s*(?:(\|\||&&|==|!=|>=|<=|[><!()[\],.$])|([A-Za-z_]\w*)|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"))/y;

const tokensOf = (text: string): readonly Token[] => {
  const tokens: Token[] = [];
  let at = 0;
  const end = text.trimEnd().length;
  while (at < end) {
    tokenPattern.lastIndex = at;
    const found = tokenPattern.exec(text);
    const position = at + (/^\s*/.exec(text.slice(at))?.[0].length ?? 0);
    if (found === null) throw new FilterSyntaxError('a path, an operator or a literal', position);
    const [, symbol, name, number, quoted] = found;
    if (symbol !== undefined) tokens.push({ kind: 'symbol', text: symbol, position });
    else if (name !== undefined) tokens.push({ kind: 'name', text: name, position });
    else if (number !== undefined) tokens.push({ kind: 'number', text: number, position });
    else tokens.push({ kind: 'text', text: (quoted ?? '').slice(1, -1).replace(/\\(.)/g, '$1'), position });
    at = tokenPattern.lastIndex;
  }
  return [...tokens, { kind: 'end', text: '', position: end }];
};

const isSame: Compare = (value, literal) => {
  if (literal === null) return value === null || value === undefined;
  if (literal instanceof Decimal) return typeof value === 'number' && literal.equals(value);
  if (typeof literal === 'string' || typeof literal === 'boolean') return value === literal;
  return (
    Array.isArray(value) &&
    value.length === literal.length &&
    literal.every((one, index) => isSame(value[index], one))
  );
};

/** Negative, 0 or positive; null when the two have no order. */
const orderOf = (value: unknown, literal: Literal): number | null => {
  if (literal instanceof Decimal) return typeof value === 'number' ? -literal.comparedTo(value) : null;
  if (typeof literal !== 'string' || typeof value !== 'string') return null;
  return value < literal ? -1 : value > literal ? 1 : 0;
};

const ordered =
  (holds: (order: number) => boolean): Compare =>
  (value, literal) => {
    const order = orderOf(value, literal);
    return order !== null && holds(order);
  };

const onTexts =
  (holds: (value: string, text: string) => boolean): Compare =>
  (value, literal) =>
    typeof value === 'string' && typeof literal === 'string' && holds(value, literal);

const contains: Compare = (value, literal) =>
  Array.isArray(value)
    ? value.some((one) => isSame(one, literal))
    : typeof value === 'string' && typeof literal === 'string' && value.includes(literal);

const operators: ReadonlyMap<string, Compare> = new Map<string, Compare>([
  ['==', isSame],
  ['!=', (value, literal) => !isSame(value, literal)],
  ['>', ordered((order) => order > 0)],
  ['>=', ordered((order) => order >= 0)],
  ['<', ordered((order) => order < 0)],
  ['<=', ordered((order) => order <= 0)],
  ['contains', contains],
  ['startsWith', onTexts((value, text) => value.startsWith(text))],
  ['endsWith', onTexts((value, text) => value.endsWith(text))],
  ['in', (value, literal) => isList(literal) && literal.some((one) => isSame(value, one))],
]);

const isList = (literal: Literal): literal is readonly Literal[] => Array.isArray(literal);

const childOf = (value: unknown, name: string | number): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string | number, unknown>>)[name]
    : undefined;

/** Reads an expression from left to right, one function for each rule of the grammar. */
class FilterParser {
  readonly #tokens: readonly Token[];
  #next = 0;
  #depth = 0;

  constructor(text: string) {
    this.#tokens = tokensOf(text);
  }

  parse(): FilterPredicate {
    const predicate = this.#either();
    if (this.#peek().kind !== 'end') throw this.#unexpected('an operator or the end');
    return predicate;
  }

  #peek(): Token {
    return this.#tokens[this.#next] ?? { kind: 'end', text: '', position: 0 };
  }

  #take(): Token {
    const token = this.#peek();
    if (token.kind !== 'end') this.#next++;
    return token;
  }

  #skip(symbol: string): boolean {
    const { kind, text } = this.#peek();
    if (kind !== 'symbol' || text !== symbol) return false;
    this.#next++;
    return true;
  }

  #unexpected(expected: string): FilterSyntaxError {
    return new FilterSyntaxError(expected, this.#peek().position);
  }

  #nested<Result>(parse: () => Result): Result {
    if (++this.#depth > MAX_DEPTH) throw this.#unexpected(`at most ${MAX_DEPTH} levels of nesting`);
    const result = parse();
    this.#depth--;
    return result;
  }

  #either(): FilterPredicate {
    const parts = [this.#both()];
    while (this.#skip('||')) parts.push(this.#both());
    const [only] = parts;
    return parts.length === 1 && only ? only : (envelope) => parts.some((part) => part(envelope));
  }

  #both(): FilterPredicate {
    const parts = [this.#unary()];
    while (this.#skip('&&')) parts.push(this.#unary());
    const [only] = parts;
    return parts.length === 1 && only ? only : (envelope) => parts.every((part) => part(envelope));
  }

  #unary(): FilterPredicate {
    if (this.#skip('!')) {
      const negated = this.#nested(() => this.#unary());
      return (envelope) => !negated(envelope);
    }
    if (!this.#skip('(')) return this.#comparison();
    const inner = this.#nested(() => this.#either());
    if (!this.#skip(')')) throw this.#unexpected("')'");
    return inner;
  }

  #comparison(): FilterPredicate {
    const read = this.#path();
    const { kind, text } = this.#peek();
    if (kind === 'name' && text === 'exists') return this.#exists(read);
    const compare = kind === 'symbol' || kind === 'name' ? operators.get(text) : undefined;
    if (!compare) return (envelope) => Boolean(read(envelope));
    this.#next++;
    const at = this.#peek().position;
    const literal = this.#literal();
    if (text === 'in' && !isList(literal)) throw new FilterSyntaxError('a list', at);
    return (envelope) => compare(read(envelope), literal);
  }

  /** `path exists`, or `path exists false`. */
  #exists(read: Read): FilterPredicate {
    this.#next++;
    const { kind, text } = this.#peek();
    const isWord = kind === 'name' && (text === 'true' || text === 'false');
    if (isWord) this.#next++;
    const wanted = !(isWord && text === 'false');
    return (envelope) => (read(envelope) !== undefined) === wanted;
  }

  #path(): Read {
    const hasRoot = this.#skip('$');
    const hasDot = this.#skip('.');
    const steps: (string | number)[] = [this.#name()];
    for (;;) {
      if (this.#skip('.')) steps.push(this.#name());
      else if (this.#skip('[')) steps.push(this.#index());
      else break;
    }
    const isOfEnvelope = hasRoot && hasDot;
    return (envelope) => steps.reduce<unknown>(childOf, isOfEnvelope ? envelope : envelope.data);
  }

  #name(): string {
    if (this.#peek().kind !== 'name') throw this.#unexpected('a path');
    return this.#take().text;
  }

  #index(): number {
    const { kind, text } = this.#peek();
    if (kind !== 'number' || !/^\d+$/.test(text)) throw this.#unexpected('an index');
    this.#next++;
    if (!this.#skip(']')) throw this.#unexpected("']'");
    return Number(text);
  }

  #literal(): Literal {
    if (this.#skip('[')) return this.#nested(() => this.#list());
    const { kind, text } = this.#peek();
    if (kind === 'number') return new Decimal(this.#take().text);
    if (kind === 'text') return this.#take().text;
    if (kind !== 'name' || !['true', 'false', 'null'].includes(text)) throw this.#unexpected('a literal');
    this.#next++;
    return text === 'null' ? null : text === 'true';
  }

  #list(): readonly Literal[] {
    if (this.#skip(']')) return [];
    const items = [this.#literal()];
    while (this.#skip(',')) items.push(this.#literal());
    if (!this.#skip(']')) throw this.#unexpected("',' or ']'");
    return items;
  }
}

/** Reads an expression once; an empty one matches everything. Throws `FilterSyntaxError`. */
export const parseFilter = (text: string): FilterPredicate => {
  if (text.trim() === '') return () => true;
  if (text.length > MAX_FILTER_LENGTH) {
    throw new FilterSyntaxError(`at most ${MAX_FILTER_LENGTH} characters`, MAX_FILTER_LENGTH);
  }
  return new FilterParser(text).parse();
};

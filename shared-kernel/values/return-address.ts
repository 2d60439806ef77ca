/**
 * Where a payment may send a shopper's browser back to (docs/rules/checkout.md#return-addresses). What counts is where
 * a browser would go, so the address is read by its parser and not by its looks: `/\evil.example` looks like a path.
 */
export interface ReturnHosts {
  /** The shop's own address, scheme included, whose host is always allowed; null: it is not known, paths only are. */
  readonly own: string | null;
  /** `shop.example.com` (the default ports), `localhost:3000`, `[::1]:3000`. */
  readonly allowed: readonly string[];
}

/** The address that a browser would go to, or what was expected instead. */
export type CheckedReturn =
  | { readonly isAllowed: true; readonly url: string }
  | { readonly isAllowed: false; readonly expected: string };

interface Host {
  /** As the parser writes it: lower case, without accents, IPv4 in decimal. */
  readonly name: string;
  /** null: the default port of the address's scheme. */
  readonly port: number | null;
}

const MAX_LENGTH = 2000;
const MAX_PORT = 65_535;
const PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/** Controls of ASCII and Latin-1: parsers drop some of them, so that the text reads otherwise than it is taken. */
const CONTROLS = /[\u0000-\u001F\u007F-\u009F]/;
const PATH_OR_ABSOLUTE = /^(\/|https?:\/\/)/i;
/** Everything between the slashes that open an authority, however many, and its end. */
const AUTHORITY = /^(?:https?:)?\/{2,}([^/?#]*)/i;

/** What paths are relative to in a shop that does not know its address. No browser finds a host of this name. */
const NOWHERE = 'http://shop.invalid';

const refused = (expected: string): CheckedReturn => ({ isAllowed: false, expected });

/** A host with or without a port; null when the text is anything else, such as a whole address or a wildcard. */
const hostOf = (text: string): Host | null => {
  const [, name = '', digits] = /^(\[[\da-f:.]+\]|[^\s/?#@\\*:[\]]+)(?::(\d{1,5}))?$/i.exec(text) ?? [];
  if (name === '' || CONTROLS.test(text) || !URL.canParse(`http://${name}`)) return null;
  const port = digits === undefined ? null : Number(digits);
  if (port === 0 || (port ?? 0) > MAX_PORT) return null;
  return { name: new URL(`http://${name}`).hostname, port };
};

/** True when a text names a host that a payment may return to. */
export const isReturnHost = (text: string): boolean => hostOf(text) !== null;

const isAt = (url: URL, { name, port }: Host): boolean => {
  if (url.hostname !== name) return false;
  // The parser leaves the default port of the scheme out.
  const used = url.port === '' ? PORTS[url.protocol] : Number(url.port);
  return used === (port ?? PORTS[url.protocol]);
};

/** Checks where a shopper is to be sent: on the shop's own host, or on one that is allowed by name. */
export const checkReturnAddress = (text: string, { own, allowed }: ReturnHosts): CheckedReturn => {
  const base = own ?? NOWHERE;
  if (text.length > MAX_LENGTH) return refused('must be at most 2,000 characters');
  if (CONTROLS.test(text)) return refused('must be an address without control characters');
  if (text.includes('\\')) return refused('must be an address without backslashes');
  if (!PATH_OR_ABSOLUTE.test(text) || !URL.canParse(text, base))
    return refused('must be an http(s) address or a path from /');
  if (AUTHORITY.exec(text)?.[1]?.includes('@')) return refused('must be an address without user information');
  const url = new URL(text, base);
  // An address that spells that host out is not a path.
  if (own === null && url.origin === NOWHERE && text.startsWith('/') && !text.startsWith('//'))
    return { isAllowed: true, url: text };
  const hosts = [...(own === null ? [] : [new URL(own).host]), ...allowed]
    .map(hostOf)
    .filter((host) => host !== null);
  return hosts.some((host) => isAt(url, host))
    ? { isAllowed: true, url: url.href }
    : refused("must be a path from /, or an address on the shop's own host or an allowed one");
};

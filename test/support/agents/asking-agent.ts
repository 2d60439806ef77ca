import { Browser } from '../browser.ts';
import type { DatedVersion } from './answer-schemas.ts';

/** Where agents begin and find their checkout sessions and carts. */
export const sessionsPath = '/api/v1/checkout-sessions';
export const cartsPath = '/api/v1/carts';

/** One of the shop's own test agents, so that its profile is known; without a version that of its profile counts. */
export const agentAt = (
  base: string,
  { name = 'tester', version, profile = `${base}/.well-known/ucp-test-agent/${name}` }: AskingWith = {},
): Browser =>
  new Browser(base, { 'UCP-Agent': `profile="${profile}"${version ? `, version="${version}"` : ''}` });

interface AskingWith {
  readonly name?: string;
  readonly version?: DatedVersion;
  /** The address of a profile of its own. */
  readonly profile?: string;
}

/** Lines as a request has them. */
export const wanting = (...lines: readonly (readonly [id: string, quantity: number])[]) =>
  lines.map(([id, quantity]) => ({ item: { id }, quantity }));

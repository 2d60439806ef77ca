import type { Caller } from './caller.ts';
import type { Options } from './options.ts';
import type { Transcript } from './transcript.ts';

interface Service {
  readonly transport?: string;
  readonly endpoint?: string;
  readonly rest?: { readonly endpoint: string };
}

interface Manifest {
  readonly ucp: {
    readonly version: string;
    readonly services: Readonly<Record<string, Service | readonly Service[]>>;
    readonly capabilities: Readonly<Record<string, unknown>> | readonly { readonly name: string }[];
  };
  readonly store?: { readonly name: string };
}

/** A shop as its manifest shows it. */
export interface Shop {
  /** Below it is everything that an agent can ask for. */
  readonly endpoint: string;
  readonly capabilities: readonly string[];
}

const endpointIn = ({ ucp: { services } }: Manifest): string => {
  const given = services['dev.ucp.shopping'];
  const all = (Array.isArray(given) ? given : [given]) as readonly (Service | undefined)[];
  const rest = all.find((service) => service?.rest !== undefined || service?.transport === 'rest');
  const endpoint = rest?.rest?.endpoint ?? rest?.endpoint;
  if (endpoint === undefined) throw new Error('the manifest names no REST endpoint for shopping');
  return endpoint;
};

/** Reads what shop and agent have in common. */
export const findShop = async (
  { ask }: Caller,
  { shop }: Pick<Options, 'shop'>,
  { say }: Transcript,
): Promise<Shop> => {
  const { body, status } = await ask<Manifest>('GET', `${shop}/.well-known/ucp`);
  if (status !== 200) throw new Error('there is no shop for agents at this address');
  const { version, capabilities } = body.ucp;
  const names = Array.isArray(capabilities)
    ? (capabilities as readonly { readonly name: string }[]).map(({ name }) => name)
    : Object.keys(capabilities);
  const endpoint = endpointIn(body);
  say(`${body.store?.name ?? 'The shop'} speaks ${version} at ${endpoint}.`);
  say(`In common: ${names.map((name) => name.replace(/^dev\.ucp\.(shopping\.)?/, '')).join(', ')}.`);
  return { endpoint, capabilities: names };
};

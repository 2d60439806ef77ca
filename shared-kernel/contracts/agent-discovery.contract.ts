import { z } from 'zod';

/** A public key of the shop (JWK). */
export const publishedKey = z.object({
  kid: z.string(),
  kty: z.string(),
  crv: z.string(),
  x: z.string(),
  y: z.string(),
  use: z.string(),
  alg: z.string(),
});

const anyMap = z.record(z.string(), z.unknown());
const store = z.object({ name: z.string(), description: z.string().optional(), url: z.string().optional() });

/** What agents can do here, in the current version. */
const currentManifest = z.object({
  ucp: z.object({
    version: z.string(),
    supported_versions: z.record(z.string(), z.string()).optional(),
    services: z.record(z.string(), z.array(anyMap)),
    capabilities: z.record(z.string(), z.array(anyMap)),
    payment_handlers: z.record(z.string(), z.array(anyMap)),
  }),
  signing_keys: z.array(publishedKey).min(1),
  store,
});

/** The same in the older one. */
const olderManifest = z.object({
  ucp: z.object({
    version: z.literal('2026-01-11'),
    services: z.record(z.string(), anyMap),
    capabilities: z.array(anyMap),
  }),
  payment: z.object({ handlers: z.array(anyMap) }),
  signing_keys: z.array(publishedKey).min(1),
  store,
});

export const manifestResponse = currentManifest.or(olderManifest);

/** For an agent that can do nothing of what the shop can. */
export const incompatibleManifest = z.object({
  ucp: z.object({
    version: z.string(),
    status: z.literal('error'),
    capabilities: anyMap.or(z.array(anyMap)),
  }),
  messages: z.array(anyMap).min(1),
  continue_url: z.string(),
});

export const testAgentResponse = z.object({
  name: z.string(),
  ucp: z.object({
    version: z.string(),
    services: anyMap,
    capabilities: anyMap.or(z.array(anyMap)),
    payment_handlers: anyMap.optional(),
  }),
  signing_keys: z.array(publishedKey).min(1),
});

export const leafParams = z.object({ version: z.string() });
export const testAgentParams = z.object({ agentId: z.string() });

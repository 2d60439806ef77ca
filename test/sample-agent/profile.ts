import type { AgentKey } from './keys.ts';
import { versions } from './options.ts';

const shopping = 'dev.ucp.shopping';

const inAllVersions = (members: object = {}) => versions.map((version) => ({ version, ...members }));

/** What this agent can do, where it is told of orders, and by which key it signs. */
export const profileOf = (own: string, key: AgentKey): unknown => {
  const config = { webhook_url: `${own}/notices` };
  const [version] = versions;
  const names = ['cart', 'catalog.search', 'catalog.lookup'];
  return {
    name: 'Sample agent',
    ucp: {
      version,
      capabilities: {
        [`${shopping}.checkout`]: inAllVersions({ config }),
        [`${shopping}.order`]: inAllVersions({ config }),
        [`${shopping}.fulfillment`]: inAllVersions({ extends: `${shopping}.checkout` }),
        [`${shopping}.discount`]: inAllVersions({ extends: `${shopping}.checkout` }),
        'dev.ucp.common.identity_linking': inAllVersions(),
        ...Object.fromEntries(names.map((name) => [`${shopping}.${name}`, [{ version }]])),
      },
    },
    signing_keys: [key.published],
  };
};

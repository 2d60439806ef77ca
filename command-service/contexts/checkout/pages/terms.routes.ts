import { join } from 'node:path';
import type { ModuleDeps } from '#command/engine/module.ts';
import { termsResponse, termsParams } from '#contracts/checkout.contract.ts';
import { anyone, ok, route, type Route } from '#http/route.ts';
import { createTerms, termsKey } from './terms.ts';

/** Where a shop keeps its pages, below its data. */
const viewsFolder = 'checkout-views';

/** What shoppers agree to (docs/rules/checkout.md#pages). */
export const termsRoutes = ({
  config,
  settings,
}: Pick<ModuleDeps, 'config' | 'settings'>): readonly Route[] => {
  const find = createTerms({ settings, viewsFolder: join(config.dataDir, viewsFolder) });
  return [
    route({
      base: 'checkout',
      service: 'command',
      caller: anyone,
      file: import.meta.url,
      method: 'GET',
      path: '/terms/{key}',
      summary: 'A page to agree to: terms, privacy, or one of the shop itself',
      schemas: { params: termsParams },
      response: termsResponse,
      handle: async ({ params }) => {
        const key = termsKey(params.key);
        const page = key === null ? null : await find(key);
        if (page) return ok({ success: true, message: '', ...page });
        const message = key === null ? 'The key must consist of letters.' : 'The shop has no such page.';
        const code = key === null ? 'invalid-request' : 'entity-not-found';
        return ok({ success: false, code, message });
      },
    }),
  ];
};

import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { finding, management, must, standsIn, unique, type Attack } from '../attack.ts';

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

/** Reads the data folder as another user of the machine, and what proxies and lists give away. */
export const attack: Attack = {
  title: 'read files, caches and lists for what they give away',
  before: 'files for all to read, header secrets in clear, personal data in caches',
  kind: 'destructive',
  run: async ({ shop, own }) => {
    const complaints: string[] = [];
    const productId = await shop.sell(unique('PRIVATE'), { price: 5 });
    const shopper = shop.shopper();
    await shopper.prepare(productId, 1, 'private@example.com');
    for (const [what, answer] of [
      ['the basket', await shopper.basket()],
      ['addresses', await shopper.giveAddress('private@example.com')],
      ['orders', await shop.admin.get(`${management}/orders`)],
    ] as const) {
      if (!/no-store/.test(answer.headers.get('cache-control') ?? ''))
        complaints.push(`${what}: not no-store`);
      if (answer.headers.get('x-content-type-options') !== 'nosniff') complaints.push(`${what}: not nosniff`);
    }
    const secret = unique('a-header-secret');
    const { id } = must(
      'webhooks',
      await shop.admin.post(`${management}/webhooks`, {
        ...{ name: 'hostile', topic: 'basket.updated', targetUrl: 'https://example.com/hostile' },
        headers: { 'X-Api-Key': secret },
      }),
    ) as { readonly id: string };
    await shop.settle();
    const shown = must('the webhook', await shop.admin.get(`${management}/webhooks/${id}`));
    if (JSON.stringify(shown).includes(secret)) complaints.push('the value of a header is shown');
    await shop.admin.delete(`${management}/webhooks/${id}`);
    if (own) {
      const files = globSync(join(own.dataDir, '*.db*')).filter((file) => statSync(file).isFile());
      if (modeOf(own.dataDir) !== '700') complaints.push(`data folder ${modeOf(own.dataDir)}`);
      const open = files.filter((file) => modeOf(file) !== '600');
      if (open.length > 0) complaints.push(`${open.length} of ${files.length} files not 600`);
      if (standsIn(files, secret)) complaints.push('the value of a header stands in the files');
    }
    return finding('700 and 600, no-store, nosniff, secrets encrypted and masked', complaints);
  },
};

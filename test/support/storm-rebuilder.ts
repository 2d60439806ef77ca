import { setTimeout as pause } from 'node:timers/promises';
import { manage } from './requests.ts';
import type { ShopAt } from './shop.ts';

const PAUSE_MILLISECONDS = 700;

/**
 * Has every view rebuilt again and again while the work goes on, whatever is killed meanwhile. Returns how many of the
 * orders were taken, too.
 */
export const rebuildDuring = async <Done>(
  shop: ShopAt,
  work: Promise<Done>,
): Promise<{ readonly done: Done; readonly rebuilds: number }> => {
  let isOver = false;
  const rebuilding = (async () => {
    let rebuilds = 0;
    while (!isOver) {
      if (await askRebuild(shop)) rebuilds++;
      await pause(PAUSE_MILLISECONDS);
    }
    return rebuilds;
  })();
  try {
    const done = await work;
    isOver = true;
    return { done, rebuilds: await rebuilding };
  } finally {
    isOver = true;
    await rebuilding;
  }
};

/** False while the shop is away, or rebuilds as much as it can. */
const askRebuild = async (shop: ShopAt): Promise<boolean> => {
  try {
    const { items } = (await shop.admin.ask(manage.get('/projections'))).body as {
      readonly items: readonly { readonly name: string }[];
    };
    const names = items.map(({ name }) => name);
    return (await shop.admin.ask(manage.post('/projections/rebuild', { names }))).status === 202;
  } catch {
    return false;
  }
};

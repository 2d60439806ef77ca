import type { RunningShop } from '#runtime/running-shop.ts';

/** Prints what the shop answers that runs on this machine; without one it is an error. */
export const withRunningShop = async (act: (shop: RunningShop) => Promise<string>): Promise<void> => {
  const [{ loadConfig }, { findRunningShop }] = await Promise.all([
    import('#runtime/config.ts'),
    import('#runtime/running-shop.ts'),
  ]);
  const config = loadConfig();
  const shop = await findRunningShop(config);
  if (!shop) throw new Error(`No shop runs on port ${config.port}: start it first, with tillroll start.`);
  process.stdout.write(await act(shop));
};

import { createShopClock } from '#runtime/shop-clock.ts';
import { createTokens } from '#http/tokens.ts';
import type { Config } from '#runtime/config.ts';
import { memoryEngines } from '#runtime/config-engines.ts';
import { loadKeys } from '#runtime/keys.ts';
import { closeEngines, openEngines } from '../../shared-kernel/open-engines.ts';
import { createUsers } from '../contexts/identity/users.ts';
import { findRunningShop } from '#runtime/running-shop.ts';
import { deskOfShop, deskOfStore, type UserDesk } from './users.ts';

/** The users of the running shop; without one, those in the state store, which is opened for it. */
export const openUserDesk = async (
  config: Config,
): Promise<{ readonly desk: UserDesk; readonly close: () => Promise<void> }> => {
  const shop = await findRunningShop(config);
  if (shop) return { desk: deskOfShop(shop), close: () => Promise.resolve() };
  const { state } = config.engines;
  if (state.kind === 'memory')
    throw new Error('STATE_STORE is in memory: users can be kept by a running shop only.');
  const engines = await openEngines({ ...memoryEngines, state });
  const { stateStore } = engines;
  const clock = await createShopClock(stateStore);
  const tokens = createTokens(loadKeys(config).tokenKey, () => clock.now());
  const { tokenHours } = config.backoffice;
  const users = await createUsers({ stateStore, clock, tokens, tokenHours });
  return {
    desk: deskOfStore(users),
    close: async () => {
      await closeEngines(engines);
    },
  };
};

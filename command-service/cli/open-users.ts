import { createShopClock } from '#runtime/shop-clock.ts';
import { createTokens } from '#runtime/tokens.ts';
import type { Config } from '#runtime/config.ts';
import { memoryEngines } from '#runtime/config-engines.ts';
import { loadKeys } from '#runtime/keys.ts';
import { closeEngines, openEngines } from '../../shared-kernel/open-engines.ts';
import { createUserActions } from '../contexts/identity/user.actions.ts';
import { newId } from '#kernel/ids.ts';
import { operator } from '#runtime/backoffice-users.ts';
import { findRunningShop } from '#runtime/running-shop.ts';
import { usersOfShop, usersOfStore, type Users } from './users.ts';

/** The users of the running shop; without one, those in the state store, which is opened for it. */
export const openUsers = async (
  config: Config,
): Promise<{ readonly users: Users; readonly close: () => Promise<void> }> => {
  const shop = await findRunningShop(config);
  if (shop) return { users: usersOfShop(shop), close: () => Promise.resolve() };
  const { state } = config.engines;
  if (state.kind === 'memory')
    throw new Error('STATE_STORE is in memory: users can be kept by a running shop only.');
  const { tokenKey } = loadKeys(config);
  const engines = await openEngines({ ...memoryEngines, state });
  const { stateStore } = engines;
  const clock = await createShopClock(stateStore);
  const tokens = createTokens(tokenKey, () => clock.now());
  const { tokenHours } = config.backoffice;
  const actions = await createUserActions({ stateStore, clock, tokens, tokenHours });
  const correlationId = newId();
  return {
    users: usersOfStore(actions, { correlationId, causationId: correlationId, actor: operator }),
    close: async () => {
      await closeEngines(engines);
    },
  };
};

import type { Command } from 'commander';
import type { AgentKeyPage } from '#contracts/agent-keys.contract.ts';
import type { RunningShop } from '#runtime/running-shop.ts';
import { withRunningShop } from './with-running-shop.ts';

/** The keys with which a running shop signs what it tells agents. */
export const addKeys = (program: Command): void => {
  const keys = program
    .command('keys')
    .description('The keys with which the running shop signs what it tells agents');
  keys
    .command('list')
    .description('List the keys, newest first: their names, states and times')
    .action(() => withRunningShop(listKeys));
  keys
    .command('rotate')
    .description('Replace the active key by a new one, once every kept copy of the manifest has expired')
    .option('--immediately', 'let the new key sign at once')
    .option('--remove-former', 'and remove every other key: after a leak, with --immediately')
    .action((wish: KeyRotation) => withRunningShop((shop) => rotateKeys(shop, wish)));
};

export interface KeyRotation {
  readonly immediately?: boolean;
  readonly removeFormer?: boolean;
}

type Key = AgentKeyPage['items'][number];

const timeOf = ({ state, signsFrom, signsUntil, acceptedUntil, dateRemoved }: Key): string => {
  if (state === 'coming') return `signs from ${signsFrom}`;
  if (state === 'active') return signsUntil === null ? `since ${signsFrom}` : `signs until ${signsUntil}`;
  return state === 'retiring' ? `accepted until ${acceptedUntil}` : `on ${dateRemoved}`;
};

const printed = (answer: unknown): string =>
  (answer as AgentKeyPage).items
    .map((key) => `${key.kid}  ${key.state.padEnd(8)}  ${timeOf(key)}\n`)
    .join('');

export const listKeys = async (shop: Pick<RunningShop, 'call'>): Promise<string> =>
  printed(await shop.call('GET', '/agent-keys?pageSize=200'));

export const rotateKeys = async (shop: Pick<RunningShop, 'call'>, wish: KeyRotation): Promise<string> =>
  printed(await shop.call('POST', '/agent-keys/rotate', wish));

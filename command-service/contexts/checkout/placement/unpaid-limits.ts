import { clientNetwork } from '#values/client-network.ts';
import type { Buyer, StartPlacement } from '../checkout.commands.ts';

type Limits = Pick<StartPlacement, 'openInvoices' | 'largeHolds'>;

/** As settings say; 0: no limit. */
interface UnpaidSettings {
  readonly openInvoicesPerAddress: number;
  readonly heldUnitsPerAddress: number;
  readonly largeHoldMinutes: number;
  readonly openInvoicesPerAgent: number;
}

/** Of a keyed hash: 96 bits are enough to tell addresses apart. */
const ADDRESS_CHARACTERS = 16;

/** More than anybody has open. */
const NO_LIMIT = Number.MAX_SAFE_INTEGER;

const limitOf = (setting: number): number => (setting === 0 ? NO_LIMIT : setting);

/**
 * An assistant with all its buyers is more than an address: its orders are counted by its profile. Profiles cost
 * nothing: what they hold is counted where they ask from, and may be a unit for each order that one may have open.
 */
const ofAgent = (agent: string, network: Limits, perAgent: number): Limits => {
  const { openInvoices, largeHolds } = network;
  if (perAgent === 0 && largeHolds === null) return { openInvoices: null, largeHolds };
  const heldAt = openInvoices && { heldAt: openInvoices.address };
  return {
    openInvoices: { address: agent, limit: limitOf(perAgent), ...heldAt },
    largeHolds: largeHolds && { ...largeHolds, units: Math.max(largeHolds.units, perAgent) },
  };
};

/** How much may stand unpaid where an order is asked for (docs/rules/checkout.md#unpaid-invoices). */
export const unpaidLimits =
  (
    { openInvoicesPerAddress: orders, heldUnitsPerAddress: units, ...settings }: UnpaidSettings,
    keyedHash: (kind: string, value: string) => string,
  ) =>
  ({ ip, agent }: Pick<Buyer, 'ip' | 'agent'>): Limits => {
    const { largeHoldMinutes: minutes, openInvoicesPerAgent } = settings;
    const hash = (kind: string, value: string) => keyedHash(kind, value).slice(0, ADDRESS_CHARACTERS);
    const isCounted = (orders > 0 || units > 0) && ip !== '';
    const openInvoices = isCounted
      ? { address: hash('client network', clientNetwork(ip)), limit: limitOf(orders) }
      : null;
    const network = { openInvoices, largeHolds: isCounted && units > 0 ? { units, minutes } : null };
    return agent === undefined ? network : ofAgent(hash('agent', agent), network, openInvoicesPerAgent);
  };

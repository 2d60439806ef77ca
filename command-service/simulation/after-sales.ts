import { createAgenda } from './agenda.ts';
import { HOUR } from './demand.ts';
import type { Visit } from './plan-visits.ts';
import { createChance, seedFrom, type Chance } from './pure-random.ts';
import type { Beginning, Doings } from './simulated-time.ts';
import {
  arrive,
  cancels,
  makesUpFor,
  recordsTransfer,
  sendsOff,
  takesBack,
  takesOut,
  writesDown,
  type SoldInvoice,
  type StaffOptions,
} from './staff-work.ts';

/** The share of orders shipped within three days, and delivered within a week after that. */
const SHIPS = 0.95;
const ARRIVES = 0.9;
/** The share of orders with a complaint, and with a return. */
const COMPLAINS = 0.02;
const RETURNS = 0.05;
/** The share of returns that return everything. */
const RETURNS_EVERYTHING = 0.6;
/** The share of orders that are cancelled, and of those edited, within hours: before anything is sent. */
const CANCELS = 0.015;
const TAKES_OUT = 0.02;
/** The share of purchases after which the same customer orders by telephone, */
const TELEPHONES = 0.02;
/** and the share of these paid by transfer some days later. */
const PAYS_BY_TRANSFER = 0.7;

/** What staff have done after sales. */
export interface StaffCounts {
  readonly phoneOrders: number;
  /** Invoices whose goods have been sent off. */
  readonly shipped: number;
  readonly refunds: number;
  /** Refunds of goods that came back. */
  readonly returns: number;
  readonly cancelled: number;
  readonly edited: number;
}

/** One after the other: what is late is done at once otherwise, and goods might be sent that are being taken out. */
async function* followedBy(doings: Doings, next: () => void): Doings {
  yield* doings;
  next();
}

/** Second thoughts before anything is sent: what they are, and when; null for nearly everybody. */
const drawSecondThoughts = (chance: Chance, soldAt: number) => {
  const at = soldAt + chance.whole(1, 5) * HOUR;
  const kind = chance.happens(CANCELS) ? 'cancels' : chance.happens(TAKES_OUT) ? 'takesOut' : null;
  return kind && ({ kind, at } as const);
};

/**
 * What staff do once something is sold: they send it off, or cancel or edit it first, write down what people order by
 * telephone, give money back where something was wrong, and take goods back at the end. Who does what, and when, is
 * the seed's choice.
 */
export const createAfterSales = (options: StaffOptions) => {
  const agenda = createAgenda();
  const toReturn: SoldInvoice[] = [];
  const counts = { phoneOrders: 0, shipped: 0, refunds: 0, returns: 0, cancelled: 0, edited: 0 };
  const chanceOf = (what: string, visit: number): Chance => createChance(seedFrom(options.seed, what, visit));

  const shipping = (sold: SoldInvoice, soldAt: number, chance: Chance): void => {
    const at = soldAt + chance.whole(6, 72) * HOUR;
    const arrivesAt = at + chance.whole(24, 168) * HOUR;
    const hasArrived = chance.happens(ARRIVES);
    const onSent = (shipmentIds: readonly string[]): void => {
      counts.shipped++;
      if (hasArrived) agenda.add({ at: arrivesAt, begin: () => arrive(options, sold.visit, shipmentIds) });
    };
    agenda.add({ at, begin: () => sendsOff(options, sold, onSent) });
  };

  const byTelephone = (visit: Visit): void => {
    const chance = chanceOf('by telephone', visit.number);
    const onOrder = (order: SoldInvoice): void => {
      counts.phoneOrders++;
      if (!chance.happens(PAYS_BY_TRANSFER)) return;
      const at = visit.at + chance.whole(72, 300) * HOUR;
      agenda.add({ at, begin: () => recordsTransfer(options, order) });
    };
    agenda.add({ at: visit.at + 5 * HOUR, begin: () => writesDown(options, visit, chance, onOrder) });
  };

  return {
    /** Something was sold; what comes of it is put down for later. */
    sold: (visit: Visit, invoiceId: string): void => {
      const sold = { visit: visit.number, invoiceId };
      const second = drawSecondThoughts(chanceOf('second thoughts', sold.visit), visit.at);
      if (second?.kind === 'cancels') {
        agenda.add({ at: second.at, begin: () => cancels(options, sold, () => counts.cancelled++) });
        return;
      }
      const chance = chanceOf('after sales', visit.number);
      const send = chance.happens(SHIPS) ? () => shipping(sold, visit.at, chance) : () => undefined;
      const edits = () => takesOut(options, sold, () => counts.edited++);
      if (second) agenda.add({ at: second.at, begin: () => followedBy(edits(), send) });
      else send();
      if (chance.happens(TELEPHONES)) byTelephone(visit);
      if (chance.happens(RETURNS)) toReturn.push(sold);
      else if (chance.happens(COMPLAINS)) {
        const at = visit.at + chance.whole(48, 240) * HOUR;
        agenda.add({ at, begin: () => makesUpFor(options, sold, () => counts.refunds++) });
      }
    },
    /** What staff have to do before an instant. */
    due: (until: number): readonly Beginning[] => agenda.take(until),
    /** Everything that is sent back, from an instant on. */
    returns: (at: number): readonly Beginning[] =>
      toReturn.splice(0).map((sold) => {
        const isEverything = chanceOf('how much', sold.visit).happens(RETURNS_EVERYTHING);
        const onReturn = (): void => {
          counts.returns++;
          counts.refunds++;
        };
        return { at, begin: () => takesBack(options, sold, isEverything, onReturn) };
      }),
    counters: (): StaffCounts => ({ ...counts }),
  };
};

import { seeded } from '../../bench/shopper.ts';
import { countdown } from './countdown.ts';
import type { MailFolder } from './mail-folder.ts';
import { variantId, type SmallStoreOptions } from './small-store.ts';
import { createStormAgent } from './storm-agent.ts';
import { createStormLeaver, type StormLeaverOptions } from './storm-leaver.ts';
import { createStormShopper, type StormShopperOptions } from './storm-shopper.ts';

export interface StormCrowdOptions {
  readonly shop: StormShopperOptions['shop'];
  readonly money?: StormShopperOptions['money'];
  readonly shoppers: number;
  /** Who buy by checkout sessions; left out: none. */
  readonly agents?: number;
  /** Where their profile is. Default: they are test agents of the shop. */
  readonly agentProfile?: string;
  readonly seed: number;
  /** What is on sale, among it something without limit. */
  readonly stock: SmallStoreOptions['stock'];
  readonly code: string;
  /** Further shoppers, who leave their checkouts; left out: none. */
  readonly leavers?: {
    readonly count: number;
    readonly mails: MailFolder;
    readonly desk: StormLeaverOptions['desk'];
  };
}

/** Waits for something, and rejects as soon as a shopper complains. */
export type UnlessComplaint = <Result>(event: Promise<Result>) => Promise<Result>;

/** Shoppers whom no kill and no outage impresses, see `createStormShopper` and `createStormLeaver`. */
export class StormCrowd {
  readonly #shoppers: readonly ReturnType<typeof createStormShopper>[];
  readonly #agents: readonly ReturnType<typeof createStormAgent>[];
  readonly #leavers: readonly ReturnType<typeof createStormLeaver>[];
  readonly #arrivals = new Set<() => void>();
  #acknowledged = 0;

  constructor({
    shop,
    money,
    shoppers,
    agents = 0,
    agentProfile,
    seed,
    stock,
    code,
    leavers,
  }: StormCrowdOptions) {
    const plenty = variantId(Object.keys(stock).find((sku) => stock[sku] === null) ?? '');
    const onAcknowledged = (): void => {
      this.#acknowledged++;
      for (const arrived of this.#arrivals) arrived();
    };
    this.#shoppers = Array.from({ length: shoppers }, (_, index) =>
      createStormShopper({
        shop,
        ...(money ? { money } : {}),
        name: `shopper-${index}`,
        productIds: Object.keys(stock).map(variantId),
        plenty,
        code,
        random: seeded(seed + index + 1),
        onAcknowledged,
      }),
    );
    this.#agents = Array.from({ length: agents }, (_, index) =>
      createStormAgent({
        ...{ shop, plenty, onAcknowledged },
        name: `agent-${index}`,
        ...(agentProfile !== undefined && { profile: agentProfile }),
        productIds: Object.keys(stock).map(variantId),
        random: seeded(seed - index - 1),
      }),
    );
    this.#leavers = leavers
      ? Array.from({ length: leavers.count }, (_, index) =>
          createStormLeaver({
            ...leavers,
            shop,
            name: `leaver-${index}`,
            productId: plenty,
            firstPlan: index,
            random: seeded(seed + shoppers + index + 1),
            onAcknowledged,
          }),
        )
      : [];
  }

  /** How many writes the shop has acknowledged. */
  get acknowledged(): number {
    return this.#acknowledged;
  }

  /** All that they were told. */
  get told() {
    return {
      baskets: new Map(this.#shoppers.flatMap(({ told }) => [...told.baskets])),
      paidInvoices: [...this.#shoppers, ...this.#agents, ...this.#leavers].flatMap(
        ({ told }) => told.paidInvoices,
      ),
      soldToAgents: this.#agents.flatMap(({ told }) => told.paidInvoices),
      refundedInvoices: this.#shoppers.flatMap(({ told }) => told.refundedInvoices),
      recovered: this.#leavers.flatMap(({ told }) => told.recovered),
      forgotten: this.#leavers.flatMap(({ told }) => told.forgotten),
    };
  }

  /** Resolves once each agent has bought something. */
  async agentsHaveBought(): Promise<void> {
    await Promise.all(this.#agents.map(({ hasBought }) => hasBought));
  }

  /** Resolves once so many more writes are acknowledged. */
  async acknowledges(writes = 1): Promise<void> {
    const { all, arrive } = countdown(writes);
    this.#arrivals.add(arrive);
    await all;
    this.#arrivals.delete(arrive);
  }

  /** Everybody shops until the work is done, and finishes what was begun. Errors: a shopper's complaint. */
  async shopDuring<Result>(work: (unlessComplaint: UnlessComplaint) => Promise<Result>): Promise<Result> {
    let isOver = false;
    const { promise: complaint, reject } = Promise.withResolvers<never>();
    complaint.catch(() => (isOver = true));
    const all = [...this.#shoppers, ...this.#agents, ...this.#leavers];
    const shopping = Promise.all(all.map(({ shopUntil }) => shopUntil(() => isOver)));
    shopping.catch(reject);
    try {
      return await work((event) => Promise.race([event, complaint]));
    } finally {
      isOver = true;
      await shopping;
    }
  }
}

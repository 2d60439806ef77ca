import type { TopicKey } from '#topics/topics.ts';
import type { ApiResponse, Request } from '#test/support/browser.ts';
import type { FulfilmentServer } from '#test/support/fulfilment-server.ts';
import type { ShopAt, Shopper } from '#test/support/shop.ts';
import type { Integrator } from './integrator.ts';

/** What the episodes of a day share: who is there, and what they have come to know. */
export interface Day {
  readonly shop: ShopAt;
  readonly server: FulfilmentServer;
  readonly integrator: Integrator;
  /** Ids by what they are of. */
  readonly ids: Map<string, string>;
  /** Staff ask; anything but the status that is expected is an error. */
  readonly staff: (request: Request, status?: number) => Promise<ApiResponse['body']>;
  /** The shop's clock goes on by so many hours, and a job runs. */
  readonly pass: (hours: number, job: string) => Promise<void>;
  /** A shopper buys so many of a product; their invoice. */
  readonly buy: (productId: string, email: string, quantity?: number, shopper?: Shopper) => Promise<string>;
}

export interface Episode {
  readonly title: string;
  /** What it sets off. */
  readonly topics: readonly TopicKey[];
  readonly happen: (day: Day) => Promise<void>;
}

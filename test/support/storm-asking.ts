import { setTimeout as pause } from 'node:timers/promises';
import type { ApiResponse } from './browser.ts';
import type { ShopProcess } from './shop-process.ts';

export interface StormAskingOptions {
  /** When all of it is up. */
  readonly shop: Pick<ShopProcess, 'ready'>;
  /** Who asks, as their complaints say. */
  readonly name: string;
  /** Told of every write that the shop has acknowledged. */
  readonly onAcknowledged: () => void;
  /** Whether a 409 is no invitation to ask again. Default: it always is one. */
  readonly isFinal?: (answer: ApiResponse) => boolean;
}

export const TRY_AGAIN_MILLISECONDS = 20;

/**
 * How those ask whom no kill impresses: again and again, until there is an answer. Errors: an answer that no shop
 * should give.
 */
export const stormAsking = ({ shop, name, onAcknowledged, isFinal = () => false }: StormAskingOptions) => {
  const ask = async (request: () => Promise<ApiResponse>): Promise<ApiResponse> => {
    for (;;) {
      await shop.ready();
      const answer = await request().catch(() => null);
      if (answer && answer.status < 500 && (answer.status !== 409 || isFinal(answer))) {
        if (answer.status === 200) onAcknowledged();
        return answer;
      }
      // 502 is a gateway's word for a process that is not there.
      if (answer && ![409, 502, 503].includes(answer.status))
        throw new Error(`${name} was answered ${answer.status}: ${JSON.stringify(answer.body)}`);
      await pause(TRY_AGAIN_MILLISECONDS);
    }
  };
  const must = async (request: () => Promise<ApiResponse>): Promise<ApiResponse> => {
    const answer = await ask(request);
    if (answer.status === 200) return answer;
    throw new Error(`${name} was refused with ${answer.status}: ${JSON.stringify(answer.body)}`);
  };
  return { ask, must };
};

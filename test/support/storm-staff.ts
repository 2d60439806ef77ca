import { setTimeout as pause } from 'node:timers/promises';
import { newId } from '#kernel/ids.ts';
import type { ApiResponse } from './browser.ts';
import { typedAddress } from './builders/address.ts';
import { API_KEY, type ShopAt } from './shop.ts';
import type { ShopProcess } from './shop-process.ts';

export interface StormStaffOptions {
  readonly shop: Pick<ShopProcess, 'ready'> & Pick<ShopAt, 'admin' | 'base'>;
  /** What is sold by telephone. */
  readonly productId: string;
  /** From 0 to 1, seeded. */
  readonly random: () => number;
}

const desk = '/backoffice/api/v1';
const AGAIN_MILLISECONDS = 50;
const PRODUCTS_IN_A_FILE = 30;

/**
 * Staff whom no kill impresses: sell by telephone, write notes, edit, pack and cancel what they have sold, and now and
 * then send a file of products. Errors: an answer that no shop should give.
 */
export const createStormStaff = ({ shop, productId, random }: StormStaffOptions) => {
  const done = { sales: 0, notes: 0, edits: 0, shipments: 0, cancellations: 0, files: 0 };

  const ask = async (request: () => Promise<ApiResponse>): Promise<ApiResponse> => {
    for (;;) {
      await shop.ready();
      const answer = await request().catch(() => null);
      if (answer && answer.status < 500 && answer.status !== 409 && answer.status !== 404) return answer;
      // 404: what was just made is not shown yet.
      if (answer && ![404, 409, 503].includes(answer.status))
        throw new Error(`staff were answered ${answer.status}: ${answer.text}`);
      await pause(AGAIN_MILLISECONDS);
    }
  };
  const must = async (request: () => Promise<ApiResponse>): Promise<ApiResponse['body']> => {
    const answer = await ask(request);
    if (answer.status >= 300) throw new Error(`staff were refused with ${answer.status}: ${answer.text}`);
    return answer.body;
  };
  const post = (path: string, body: object): Promise<ApiResponse['body']> => {
    const key = { 'Idempotency-Key': newId() };
    return must(() => shop.admin.post(`${desk}${path}`, body, key));
  };
  const get = (path: string): Promise<ApiResponse['body']> => must(() => shop.admin.get(`${desk}${path}`));

  const edit = async (invoiceId: string): Promise<void> => {
    const key = { 'Idempotency-Key': newId() };
    const { version, orders } = await get(`/orders/${invoiceId}/edit`);
    const [line] = orders[0].lineItems;
    const body = {
      version,
      lineItems: [{ id: line.id, quantity: line.quantity + 1 }],
      editReason: 'a storm',
    };
    const request = { method: 'PUT', path: `${desk}/orders/${invoiceId}/edit`, body, headers: key } as const;
    await must(() => shop.admin.ask(request));
    done.edits++;
  };

  const pack = async (invoiceId: string): Promise<void> => {
    const { orders } = await get(`/orders/${invoiceId}`);
    const [order] = orders;
    const [line] = order.lineItems;
    await post(`/orders/${order.id}/shipments`, { lineItems: { [line.id]: line.quantity } });
    done.shipments++;
  };

  const sell = async (): Promise<void> => {
    const lineItems = [{ productId, quantity: 1 + Math.floor(random() * 3) }];
    const billingAddress = { ...typedAddress(), email: `desk-${newId()}@example.com` };
    const { invoiceId } = await post('/orders/manual', { billingAddress, lineItems });
    done.sales++;
    const mood = random();
    if (mood < 0.3) {
      await post(`/orders/${invoiceId}/notes`, { text: 'Rang twice', isVisibleToCustomer: false });
      done.notes++;
    } else if (mood < 0.6) await edit(invoiceId);
    else if (mood < 0.8) await pack(invoiceId);
    else {
      await post(`/orders/${invoiceId}/cancel`, { reason: 'a storm' });
      done.cancellations++;
    }
  };

  const sendFile = async (): Promise<void> => {
    const rows = Array.from(
      { length: PRODUCTS_IN_A_FILE },
      (_, at) => `storm-${at},Storm ${at},STORM-${at},${(5 + Math.floor(random() * 900) / 100).toFixed(2)}`,
    );
    const text = ['Handle,Title,Variant SKU,Variant Price', ...rows].join('\n');
    await shop.ready();
    // Under way already, or killed with its process, which takes it up again.
    const answer = await fetch(`${shop.base}${desk}/product-sync/imports/start?profile=strict`, {
      method: 'POST',
      headers: { 'Content-Type': 'text/csv', Authorization: `Bearer ${API_KEY}` },
      body: text,
    }).catch(() => null);
    if (answer?.status === 202) done.files++;
    await answer?.body?.cancel();
  };

  return {
    done,
    /** Works until told to stop, and finishes what was begun. */
    workUntil: async (isOver: () => boolean): Promise<void> => {
      while (!isOver()) {
        if (random() < 0.1) await sendFile();
        else await sell();
      }
    },
  };
};

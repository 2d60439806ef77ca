import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HostedShop } from '../targets.ts';
import { API_KEY } from '../../support/shop.ts';
import { ShopProcess } from '../../support/shop-process.ts';
import { checkout, finding, management, must, shortResponse, unique, type Attack } from '../attack.ts';

const settled = ['ReadyToFulfill', 'Processing', 'Shipped', 'Completed'];

/** Says of an own order that it has been paid by hand, in a shop set up for production with that provider. */
const buyByHand = async (
  shop: HostedShop,
): Promise<{ readonly now: string; readonly complaints: string[] }> => {
  const productId = await shop.sell(unique('GIFT'), { price: 25 });
  const stranger = shop.shopper();
  await stranger.prepare(productId, 1, 'stranger@example.com');
  const urls = { returnUrl: '/return', cancelUrl: '/cancel' };
  const placed = await stranger.post(`${checkout}/pay`, {
    providerAlias: 'manual',
    methodAlias: 'manual',
    ...urls,
  });
  if (placed.status !== 200)
    return { now: `not offered to shoppers (${shortResponse(placed)})`, complaints: [] };
  const { invoiceId } = placed.body as { readonly invoiceId: string };
  const claimed = await stranger.post(`${checkout}/process-direct-payment`, {
    ...{ invoiceId, providerAlias: 'manual', methodAlias: 'manual' },
  });
  await shop.settle();
  const order = must('the order', await shop.admin.get(`${management}/orders/${invoiceId}`));
  const shipped = (order.orders as readonly { readonly status: string }[]).filter(({ status }) =>
    settled.includes(status),
  );
  const complaints = [
    ...(order.paymentStatus === 'Paid' ? ['a stranger marked his own order as paid'] : []),
    ...(shipped.length > 0 ? ['it is ready to be shipped'] : []),
  ];
  return { now: `${shortResponse(claimed)}; the order is ${order.paymentStatus}`, complaints };
};

export const attack: Attack = {
  title: "mark one's own order as paid, in production",
  before: 'the shipped set-up offered "manual": a stranger marked his own order as paid',
  kind: 'own',
  run: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tillroll-production-'));
    const env = {
      DATA_DIR: join(folder, 'data'),
      NODE_ENV: 'production',
      TESTING_SECRET: '',
      APPLICATION_KEY: randomBytes(32).toString('base64'),
      Payments__Providers: 'manual',
    };
    const running = await ShopProcess.open({ env });
    try {
      const shop = new HostedShop(`http://127.0.0.1:${running.port}`, API_KEY);
      await shop.furnish();
      const { now, complaints } = await buyByHand(shop);
      return finding(now, complaints);
    } finally {
      await running.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

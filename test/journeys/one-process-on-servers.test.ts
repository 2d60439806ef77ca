import { expect } from 'chai';
import { useShopOn } from '#test/support/service-processes.ts';

describe('a shop of one process, its log on a server and the rest in its folder', () => {
  const at = useShopOn(() => 'embedded', { replicas: { command: 2 } });

  it('sells, also after a kill, and leaves books behind that add up', async () => {
    const { shop } = at;
    expect(shop.all.map(({ service }) => service)).to.deep.equal(['whole shop']);
    const mug = await shop.sell('mug', { price: 10, stock: 2 });
    const buy = async (): Promise<void> => {
      const shopper = shop.shopper();
      await shopper.prepare(mug, 1, 'ada@example.com');
      const { invoiceId } = (await shopper.pay()).body;
      expect((await shopper.payWith(invoiceId as string)).body).to.include({ status: 'Completed' });
    };
    await buy();
    for (const service of ['command', 'projection'] as const)
      expect(shop.replicas(service)).to.deep.equal(shop.all);
    await shop.all[0]?.kill();
    await shop.all[0]?.start();
    await buy();
    const { problems, sales } = await shop.audit();
    expect({ problems, sales }).to.deep.equal({ problems: [], sales: 2 });
  });
});

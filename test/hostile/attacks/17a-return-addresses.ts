import { checkout, finding, shortResponse, unique, type Attack } from '../attack.ts';

const evil = [
  '/\\evil.example',
  '//evil.example/',
  '/\\/evil.example',
  '/\t/evil.example',
  'https://evil.example/',
  'https:evil.example',
  'http://evil.example@example.com/',
  'javascript:alert(1)',
  'evil.example',
  `/${'a'.repeat(2001)}`,
];

/** Sends a shopper elsewhere when the payment is done. */
export const attack: Attack = {
  title: "return addresses that are not the shop's",
  before: '/\\evil.example and hosts that nobody allowed were accepted',
  kind: 'destructive',
  run: async ({ shop }) => {
    const productId = await shop.sell(unique('RETURN'), { price: 5 });
    const shopper = shop.shopper();
    await shopper.prepare(productId, 1, 'return@example.com');
    const card = { providerAlias: 'sandbox', methodAlias: 'card' };
    const complaints: string[] = [];
    for (const address of evil) {
      for (const urls of [
        { returnUrl: address, cancelUrl: '/cancel' },
        { returnUrl: '/return', cancelUrl: address },
      ]) {
        const answer = await shopper.post(`${checkout}/pay`, { ...card, ...urls });
        if (answer.status !== 400)
          complaints.push(`${JSON.stringify(address).slice(0, 24)}: ${shortResponse(answer)}`);
      }
    }
    const own = await shopper.pay();
    if (own.status !== 200) complaints.push(`a path of the shop's own: ${shortResponse(own)}`);
    return finding(`all ${evil.length} refused with 400`, [...new Set(complaints)]);
  },
};

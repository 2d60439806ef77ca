import type { ShopAt, Shopper } from '../../support/shop.ts';
import { finding, management, must, storefront, shortResponse, unique, type Attack } from '../attack.ts';

const LIGHT_COST = 5;
const HEAVY_SURCHARGE = 20;

const create = async (shop: ShopAt, path: string, body: object) => {
  const made = must(path, await shop.admin.post(management + path, body));
  await shop.settle();
  return made as { readonly id: string; readonly variants: readonly { readonly id: string }[] };
};

/** A warehouse whose parcels cost more from 10 kg on; the ids of something light and something heavy in it. */
const furnishDepot = async (shop: ShopAt): Promise<readonly [light: string, heavy: string]> => {
  const depot = { name: unique('Depot'), address: { countryCode: 'GB' } };
  const { id: warehouseId } = await create(shop, '/warehouses', depot);
  await create(shop, '/shipping-options', {
    ...{ name: 'By weight', warehouseId, costs: [{ countryCode: 'GB', cost: LIGHT_COST }] },
    weightTiers: [{ countryCode: 'GB', minWeightKg: 10, surcharge: HEAVY_SURCHARGE }],
  });
  const sell = async (sku: string, weight: number): Promise<string> => {
    const product = { rootName: sku, sku, price: 9, warehouses: [{ warehouseId }], packages: [{ weight }] };
    return (await create(shop, '/products', product)).variants[0]?.id ?? '';
  };
  return [await sell(unique('FEATHER'), 0.1), await sell(unique('ANVIL'), 51)];
};

/** Chooses the first option of each group, as a shopper does. */
const chooseShipping = async (shopper: Shopper): Promise<void> => {
  const { shippingGroups } = must('/initialize', await shopper.initialize()) as {
    readonly shippingGroups: readonly {
      readonly groupId: string;
      readonly shippingOptions: readonly { readonly selectionKey: string }[];
    }[];
  };
  const selections = Object.fromEntries(
    shippingGroups.map(({ groupId, shippingOptions }) => [groupId, shippingOptions[0]?.selectionKey ?? '']),
  );
  must('/shipping', await shopper.selectShipping(selections));
};

/**
 * What is charged for shipping, in the store's currency; null: the order is refused until it is chosen again. The demo
 * store shows a British shopper pounds.
 */
const chargedFor = async (shop: ShopAt, shopper: Shopper): Promise<number | null> => {
  const placed = await shopper.pay();
  if (placed.status === 400) return null;
  const { invoiceId } = must('/pay', placed) as { readonly invoiceId: string };
  await shop.settle();
  const order = must('the order', await shop.admin.get(`${management}/orders/${invoiceId}`));
  return order.shippingCostInStoreCurrency as number;
};

const isWrong = (charged: number | null, right: number): boolean => charged !== null && charged !== right;

/** Chooses shipping for a basket and pays for another one. */
export const attack: Attack = {
  title: 'choose shipping, then change the basket',
  before: '6.50 paid for 51 kg, and 10.50 for one tea pouch',
  kind: 'destructive',
  run: async ({ shop }) => {
    const [light, heavy] = await furnishDepot(shop);
    const cheap = shop.shopper();
    await cheap.prepare(light, 1, 'cheap@example.com');
    await chooseShipping(cheap);
    must('add', await cheap.add(heavy));
    const forHeavy = await chargedFor(shop, cheap);

    const honest = shop.shopper();
    await honest.prepare(heavy, 1, 'honest@example.com');
    must('add', await honest.add(light));
    await chooseShipping(honest);
    const basket = must('the basket', await honest.basket());
    const line = (basket.lineItems as readonly { readonly id: string; readonly productId: string }[]).find(
      ({ productId }) => productId === heavy,
    );
    const removed = await honest.delete(`${storefront}/basket/${line?.id ?? ''}`);
    if (removed.status !== 200)
      throw new Error(`the heavy line cannot be removed: ${shortResponse(removed)}`);
    const forLight = await chargedFor(shop, honest);
    const shown = (charged: number | null): string =>
      charged === null ? 'to be chosen again' : String(charged);
    return finding(`51 kg: ${shown(forHeavy)}; a feather: ${shown(forLight)}`, [
      ...(isWrong(forHeavy, LIGHT_COST + HEAVY_SURCHARGE)
        ? [`51 kg shipped for ${forHeavy}, not ${LIGHT_COST + HEAVY_SURCHARGE}`]
        : []),
      ...(isWrong(forLight, LIGHT_COST) ? [`a feather shipped for ${forLight}, not ${LIGHT_COST}`] : []),
    ]);
  },
};

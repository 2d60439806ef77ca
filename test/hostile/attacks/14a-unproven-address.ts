import { checkout, finding, management, must, putSomethingIn, unique, type Attack } from '../attack.ts';
import { typedAddresses } from '../../support/builders/address.ts';

/** Makes an account with an address that belongs to somebody else, whose address earns something. */
export const attack: Attack = {
  title: "make an account with somebody else's e-mail address",
  before: 'it had the prices of their segments, and their terms once staff gave them some',
  kind: 'destructive',
  run: async (target) => {
    const { shop } = target;
    const domain = `${unique('staff')}.example`;
    const criteria = [{ field: 'Email', operator: 'Contains', value: `@${domain}` }];
    const named = { name: unique('Staff'), isActive: true };
    const segment = { ...named, segmentType: 'Automated', criteria };
    const { id } = must('a segment', await shop.admin.post(`${management}/customer-segments`, segment));
    const rule = {
      ...{ name: named.name, category: 'AmountOffOrder', method: 'Automatic' },
      ...{ valueType: 'Percentage', value: 90 },
      eligibilityRules: [{ eligibilityType: 'CustomerSegments', ids: [id] }],
    };
    const discount = must('a discount', await shop.admin.post(`${management}/discounts`, rule));
    const thief = shop.shopper();
    await putSomethingIn(target, thief);
    const account = { email: `boss@${domain}`, password: 'correct horse battery' };
    must('an account', await thief.post(`${checkout}/addresses`, typedAddresses(account)));
    await shop.settle();
    must('a sign-in', await thief.post(`${checkout}/sign-in`, account));
    const complaints: string[] = [];
    const basket = must('the basket', await thief.get(`${checkout}/basket`));
    const mine = (basket.appliedDiscounts as readonly { readonly name: string }[]).some(
      ({ name }) => name === named.name,
    );
    if (mine) complaints.push('it gets the price of the segment');
    const cards = await thief.get('/api/shop/storefront/payment-methods');
    if (cards.status !== 401) complaints.push(`saved methods answer ${cards.status}`);
    await shop.admin.delete(`${management}/discounts/${discount.id}`);
    return finding('nothing of the address, until its mail has been read', complaints);
  },
};

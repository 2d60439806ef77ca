import { checkout, finding, must, putSomethingIn, storefront, unique, type Attack } from '../attack.ts';
import { typedAddresses } from '../../support/builders/address.ts';

/** Plants the cookie of a basket of theirs in a browser, and waits until somebody has made an account with it. */
export const attack: Attack = {
  title: 'plant the cookie of a basket, and wait for a sign-in',
  before: 'it read street and telephone of whoever signed in, and changed where their order went',
  kind: 'harmless',
  run: async (target) => {
    const [thief, victim] = [target.shop.shopper(), target.shop.shopper()];
    await putSomethingIn(target, thief);
    victim.cookies.set('shop_basket', thief.cookies.get('shop_basket') ?? '');
    const account = { email: `${unique('victim')}@example.com`, password: 'correct horse battery' };
    must('an account', await victim.post(`${checkout}/addresses`, typedAddresses(account)));
    const put = must('the basket', await victim.basket()).itemCount as number;
    const complaints: string[] = [];
    if (must('their basket', await thief.basket()).isEmpty !== true)
      complaints.push('the cookie shows the basket');
    const moved = await thief.post(`${checkout}/addresses`, typedAddresses({ email: 'mallory@example.com' }));
    if (moved.status === 200) complaints.push('it changes the addresses');
    await thief.post(`${storefront}/basket/clear`);
    if (must('the basket', await victim.basket()).itemCount !== put) complaints.push('it empties the basket');
    return finding('the cookie leads nowhere after the sign-in', complaints);
  },
};

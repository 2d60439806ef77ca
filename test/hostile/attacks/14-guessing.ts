import { Browser } from '../../support/browser.ts';
import {
  expectStatus,
  finding,
  management,
  must,
  storefront,
  shortResponse,
  unique,
  type Attack,
} from '../attack.ts';

const GUESSES = 60;

/** Guesses passwords and discount codes, and keeps using an account that was closed. */
export const attack: Attack = {
  title: 'guess passwords and codes; use a token after the account was closed',
  before: 'no limit by address; tokens stayed good after a change of role or password',
  kind: 'own',
  run: async ({ shop, url }) => {
    const complaints: string[] = [];
    const stranger = new Browser(url);
    const signIn = (email: string, password: string) =>
      stranger.post(`${management}/sign-in`, { email, password });
    const email = `${unique('owner')}@example.com`;
    const password = 'a long and good password';
    const made = must(
      'users',
      await shop.admin.post(`${management}/users`, { email, password, role: 'analyst' }),
    );
    const token = (await signIn(email, password)).body.token as string;
    const owner = new Browser(url, { Authorization: `Bearer ${token}` });
    complaints.push(...expectStatus('the owner', await owner.get(`${management}/orders`), 200));
    const closed = await shop.admin.put(`${management}/users/${made.id}`, {
      password: 'another good password',
    });
    complaints.push(...expectStatus('PUT /users/{id}', closed, 200));
    const after = await owner.get(`${management}/orders`);
    if (closed.status === 200) complaints.push(...expectStatus('a token from before', after, 401));

    let guessed = await signIn(email, 'guess 0');
    for (let guess = 1; guess < GUESSES && guessed.status !== 429; guess++)
      guessed = await signIn(`${guess % 2 ? email : `nobody-${guess}@example.com`}`, `guess ${guess}`);
    if (guessed.status !== 429)
      complaints.push(`${GUESSES} wrong passwords from one address: ${shortResponse(guessed)}`);

    const productId = await shop.sell(unique('CODES'), { price: 5 });
    let tried = null;
    for (let guess = 0; guess < GUESSES && tried?.status !== 429; guess++) {
      const visitor = shop.shopper();
      must('add', await visitor.add(productId));
      tried = await visitor.applyCode(`GUESS${guess}`);
    }
    if (tried?.status !== 429)
      complaints.push(`${GUESSES} codes from one address, each with a new basket: never 429`);
    must('the storefront', await shop.shopper().get(`${storefront}/context`));
    return finding('429 for both; the old token is worth nothing', complaints);
  },
};

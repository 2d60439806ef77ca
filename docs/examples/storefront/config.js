/** Where the shop is: the one thing to change when this folder moves. */
export const shop = 'http://localhost:4000/api/shop';
/** What the currency menu offers; the shop has rates for many more. */
export const currencies = ['USD', 'GBP', 'EUR'];

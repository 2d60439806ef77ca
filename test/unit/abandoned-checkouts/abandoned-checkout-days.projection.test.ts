import { abandonedCheckoutDaysProjection } from '#projection/contexts/abandoned-checkouts/abandoned-checkout-days.projection.ts';
import { basketEvents } from '#events/basket.events.ts';
import { leftCheckout } from '#test/support/builders/left-checkout.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { givenEvents, type GivenEvent } from '#test/support/given.ts';

const { BasketCompleted } = basketEvents.create;
const day = '2026-02-01';
const ada = leftCheckout({ name: 'of ada' });
const bob = leftCheckout({ name: 'of bob', email: 'bob@example.com', total: 600 });

const counted = (...events: readonly GivenEvent[]) =>
  givenEvents(...events).project(abandonedCheckoutDaysProjection, day);

describe('the checkouts of a day', () => {
  it('are those that were opened on it, once each', () => {
    const again = ada.inBasket(ada.typed({ isAgain: true }));
    counted(...ada.inBasket(ada.typed()), ...again, ...bob.inBasket(bob.addressed())).then({
      created: 2,
      abandoned: 0,
    });
  });

  it('count what becomes of them later, on the day that they were opened', () => {
    counted(
      ...ada.inBasket(ada.typed()),
      ...ada.abandoned(),
      ...ada.recovered(),
      ...ada.converted({ convertedAt: '2026-02-20T09:00:00.000Z' }),
      ...bob.abandoned(),
      ...bob.expired(),
    ).then({
      created: 1,
      abandoned: 2,
      recovered: 1,
      converted: 1,
      expired: 1,
      valueAbandoned: 3000,
      valueRecovered: 2400,
    });
  });

  it('are abandoned, recovered and expired once, however often it happens', () => {
    counted(
      ...ada.abandoned(),
      ...ada.recovered(),
      ...ada.abandoned({ isFirst: false }),
      ...ada.recovered({ isFirst: false }),
      ...ada.expired(),
      ...ada.expired({ isFirst: false }),
    ).then({ abandoned: 1, recovered: 1, expired: 1, valueAbandoned: 2400 });
  });

  it('are no abandonment when they are bought right away', () => {
    const bought = ada.inBasket(ada.typed(), BasketCompleted({ invoiceId: idNamed('invoice') }));
    counted(...bought).then({ created: 1, abandoned: 0, converted: 0, valueRecovered: 0 });
  });
});

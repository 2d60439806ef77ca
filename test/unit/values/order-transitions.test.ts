import { expect } from 'chai';
import { datesAfter, noOrderDates } from '#values/order-transitions.ts';

describe('the dates of an order', () => {
  it('are of the first time, and of what it is now', () => {
    let dates = datesAfter(noOrderDates, 'Processing', 'monday');
    dates = datesAfter(dates, 'OnHold', 'tuesday');
    dates = datesAfter(dates, 'Processing', 'wednesday');
    dates = datesAfter(dates, 'Shipped', 'thursday');
    dates = datesAfter(dates, 'Completed', 'friday');
    expect(dates).to.deep.equal({
      processingStartedDate: 'monday',
      shippedDate: 'thursday',
      completedDate: 'friday',
      cancelledDate: null,
    });
    expect(datesAfter(dates, 'Shipped', 'saturday')).to.deep.include({
      shippedDate: 'thursday',
      completedDate: null,
    });
  });
});

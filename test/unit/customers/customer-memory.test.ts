import { expect } from 'chai';
import { modules } from '#command/modules.ts';
import { customerEvents } from '#events/customer.events.ts';
import { createReference } from '#reference/create-reference.ts';

describe('the memory of the command service', () => {
  it('keeps nothing per customer but the streams used last: no part of it follows customers', () => {
    const followed = modules.flatMap(({ follows }) => follows?.() ?? []);
    const customerTypes = customerEvents.definitions.map(({ type }) => type);
    const following = [...createReference().parts, ...followed].flatMap(({ name, on }) =>
      customerTypes.filter((type) => type in on).map((type) => `${name} follows ${type}`),
    );
    expect(following).to.deep.equal([]);
  });
});

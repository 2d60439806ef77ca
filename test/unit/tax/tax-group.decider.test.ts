import { taxGroup as taxGroupKind, type TaxGroup } from '#entities/tax-group.entity.ts';
import { entityDecider } from '#kernel/entity.ts';
import { given } from '#test/support/given.ts';

const taxGroupDecider = entityDecider(taxGroupKind);
const { TaxGroupChanged, TaxGroupCreated, TaxGroupDeleted } = taxGroupKind.events.create;

const at = '2030-06-01T12:00:00.000Z';
const fine = { at, problems: () => [], dependents: () => [] };
const taxGroup: TaxGroup = { name: 'Standard', taxPercentage: 20, rates: [] };
const created = TaxGroupCreated({ taxGroup, at });

describe('a tax group', () => {
  it('is created once; a repeat changes nothing, another one is refused', () => {
    given(taxGroupDecider).when({ type: 'Create', fields: taxGroup }, fine).then([created]);
    given(taxGroupDecider, [created]).when({ type: 'Create', fields: taxGroup }, fine).thenNothing();
    given(taxGroupDecider, [created])
      .when({ type: 'Create', fields: { ...taxGroup, name: 'Other' } }, fine)
      .thenRefused('already-exists');
  });

  it('changes in the fields that are given', () => {
    given(taxGroupDecider, [created])
      .when({ type: 'Change', changes: { taxPercentage: 21 } }, fine)
      .then([TaxGroupChanged({ taxGroup: { ...taxGroup, taxPercentage: 21 }, at })]);
    given(taxGroupDecider, [created])
      .when({ type: 'Change', changes: { taxPercentage: 20, rates: [] } }, fine)
      .thenNothing();
  });

  it('stays while something depends on it, and is told what', () => {
    given(taxGroupDecider, [created])
      .when({ type: 'Delete' }, { ...fine, dependents: () => ['3 product(s)'] })
      .thenRefused('still-used');
    given(taxGroupDecider, [created])
      .when({ type: 'Delete' }, fine)
      .then([TaxGroupDeleted({})]);
  });

  it('can be created again once it was deleted', () => {
    const history = [created, TaxGroupDeleted({})];
    given(taxGroupDecider, history).when({ type: 'Delete' }, fine).thenRefused('entity-not-found');
    given(taxGroupDecider, history).when({ type: 'Create', fields: taxGroup }, fine).then([created]);
  });

  it('is refused with every problem at once', () => {
    const problems = ['name: another name was expected', 'rates: other rates were expected'];
    given(taxGroupDecider)
      .when({ type: 'Create', fields: taxGroup }, { ...fine, problems: () => problems })
      .thenRefused('invalid-request', { errors: problems });
  });
});

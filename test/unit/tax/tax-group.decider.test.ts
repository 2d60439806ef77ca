import { taxGroup as taxGroupKind, type TaxGroup } from '#entities/tax-group.entity.ts';
import { entityDecider } from '#kernel/entity.ts';
import { given, inContext } from '#test/support/given.ts';

const { TaxGroupChanged, TaxGroupCreated, TaxGroupDeleted } = taxGroupKind.events.create;

const at = '2030-06-01T12:00:00.000Z';
const fine = { at, problems: () => [], dependents: () => [] };
const rulesWith = (context: object) => inContext(entityDecider(taxGroupKind), { ...fine, ...context });
const rules = rulesWith({});

const standard: TaxGroup = { name: 'Standard', taxPercentage: 20, rates: [] };
const create = { type: 'Create', fields: standard } as const;
const change = (changes: Partial<TaxGroup>) => ({ type: 'Change', changes }) as const;
const remove = { type: 'Delete' } as const;
const created = TaxGroupCreated({ taxGroup: standard, at });
const taxGroup = given(rules, [created]);

describe('a tax group', () => {
  it('is created once: a repeat changes nothing, and a different one is refused', () => {
    given(rules).when(create).then([created]);
    taxGroup.when(create).thenNothing();
    taxGroup.when({ ...create, fields: { ...standard, name: 'Other' } }).thenRefused('already-exists');
  });

  it('changes only in the given fields', () => {
    const dearer = TaxGroupChanged({ taxGroup: { ...standard, taxPercentage: 21 }, at });
    taxGroup.when(change({ taxPercentage: 21 })).then([dearer]);
    taxGroup.when(change({ taxPercentage: 20, rates: [] })).thenNothing();
  });

  it('cannot be deleted while something depends on it', () => {
    taxGroup
      .now(rulesWith({ dependents: () => ['3 product(s)'] }))
      .when(remove)
      .thenRefused('still-used');
    taxGroup.when(remove).then([TaxGroupDeleted({})]);
  });

  it('can be created again after it was deleted', () => {
    const deleted = taxGroup.after(remove);
    deleted.when(remove).thenRefused('entity-not-found');
    deleted.when(create).then([created]);
  });

  it('is refused with all problems at once', () => {
    const problems = ['name: must be another name', 'rates: must be other rates'];
    given(rulesWith({ problems: () => problems }))
      .when(create)
      .thenRefused('invalid-request', { errors: problems });
  });
});

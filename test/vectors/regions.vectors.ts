import { isServed } from '#reference/location.ts';
import { excludes, serves } from '#test/support/builders/reference.ts';
import { table } from './vector.ts';

type Rules = ReturnType<typeof serves>[];

export const regions = table(
  'Does a warehouse deliver there?',
  'docs/rules/shipping.md#service-regions',
  (serviceRegions: Rules, countryCode: string, regionCode: string | null) =>
    isServed({ serviceRegions }, { countryCode, regionCode }) ? 'yes' : 'no',
  [
    ['no rules; JP', 'yes', [], 'JP', null],
    ['no rules; no country', 'no', [], '', null],
    ['GB; gb', 'yes', [serves('GB')], 'gb', null],
    ['GB; DE', 'no', [serves('GB')], 'DE', null],
    ['everywhere, not FR; DE', 'yes', [serves('*'), excludes('FR')], 'DE', null],
    ['everywhere, not FR; FR', 'no', [serves('*'), excludes('FR')], 'FR', null],
    ['US, not US-AK; US-CA', 'yes', [serves('US'), excludes('US', 'AK')], 'US', 'CA'],
    ['US, not US-AK; US-AK', 'no', [serves('US'), excludes('US', 'AK')], 'US', 'AK'],
    ['US, not US-AK; US without a region', 'yes', [serves('US'), excludes('US', 'AK')], 'US', null],
    ['US-CA only; US-CA', 'yes', [serves('US', 'CA')], 'US', 'CA'],
    ['US-CA only; US-NY', 'no', [serves('US', 'CA')], 'US', 'NY'],
    ['US-CA only; US without a region', 'no', [serves('US', 'CA')], 'US', null],
    ['not US, but US-HI; US-HI', 'yes', [excludes('US'), serves('US', 'HI')], 'US', 'HI'],
  ],
);

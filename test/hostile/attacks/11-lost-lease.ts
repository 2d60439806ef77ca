import type { Attack } from '../attack.ts';
import { shownBy } from '../suites.ts';

export const attack: Attack = {
  title: 'work goes on under a lease that was lost',
  before: 'a late release took from a later placement',
  kind: 'own',
  run: shownBy(
    [
      'unit/engine/process-runner',
      'unit/checkout/place-order',
      'unit/discounts/discount-usage*',
      'unit/inventory/stock.decider',
    ],
    'lease is lost|another driver has come first|later placement|takes the placement over',
  ),
};

import { rulesFor } from '#command/engine/entity-rules.ts';
import type { CommandModule } from '#command/engine/module.ts';
import { shippingOption } from '#entities/shipping-option.entity.ts';
import { shippingOptionRules } from './shipping-option.rules.ts';

export const shipping: CommandModule = {
  name: 'shipping',
  entityRules: [rulesFor(shippingOption, { rules: shippingOptionRules })],
};

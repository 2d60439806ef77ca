import { linkingEnvironment } from '#test/support/agents/linking.ts';
import { inChromium } from '#test/support/example-storefront.ts';
import { buyFromTheExample } from './browser/example-storefront.ts';
import { linkAnAgent } from './browser/link-an-agent.ts';

describe('In a browser', () => {
  inChromium(linkingEnvironment, (at) => {
    buyFromTheExample(at);
    linkAnAgent(at);
  });
});

import { expect } from 'chai';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { authorization, LinkingMember, max, newVerifier } from '#test/support/agents/linking.ts';
import type { InBrowser } from '#test/support/example-storefront.ts';
import { goodPassword } from '#test/support/member-shop.ts';
import { openInbox, type Inbox } from '#test/sample-agent/inbox.ts';
import { linkMember, type LinkedMember } from '#test/sample-agent/linking.ts';
import { createShopKeys } from '#test/sample-agent/shop-keys.ts';
import { createTranscript } from '#test/sample-agent/transcript.ts';

const email = 'ada@example.com';

const press = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).click();

const signIn = async (page: Page): Promise<void> => {
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password').fill(goodPassword);
  await press(page, 'Sign in');
  await page.getByRole('heading', { name: 'Let Max shop for you?' }).waitFor();
};

/** Whether a script runs that has got into the page. */
const runsScripts = (page: Page): Promise<boolean> =>
  page.addScriptTag({ content: 'document.title = 1' }).then(
    () => true,
    () => false,
  );

/** docs/rules/identity-linking.md#consent */
export const linkAnAgent = (at: InBrowser): void => {
  describe('a member whom the sample agent sends to the shop', () => {
    let inbox: Inbox;
    before(async () => {
      const { base } = at.storefront.shop;
      await new LinkingMember(base).signUp(email);
      inbox = await openInbox({
        ...{ port: 0, publicUrl: null, profile: () => ({}) },
        shopKeys: createShopKeys(base),
      });
    });
    after(() => inbox.close());

    /** The agent asks, as with `--link`: the page that it prints is open. What came of it, or why nothing did. */
    const askedByAgent = async (): Promise<{ readonly linked: Promise<LinkedMember | string> }> => {
      const printed = Promise.withResolvers<string>();
      const linked = linkMember({
        ...{ shop: at.storefront.shop.base, clientId: max.clientId, member: null, inbox },
        transcript: createTranscript((line) => printed.resolve(line)),
      }).catch((error: unknown) => String(error));
      await at.visitor.page.goto(/http:\S+/.exec(await printed.promise)?.[0] ?? '');
      return { linked };
    };

    it('signs in and agrees: the agent gets its tokens', async () => {
      const { page, shot } = at.visitor;
      const { linked } = await askedByAgent();
      await page.getByRole('heading', { name: /^Sign in to / }).waitFor();
      await shot('sign-in');
      await signIn(page);
      await shot('consent');
      await press(page, 'Allow');
      await page.getByText('Thank you. You can close this page.').waitFor();
      const member = await linked;
      expect(member).to.be.an('object');
      if (typeof member === 'object') await member.unlink();
    });

    it('cancels, or says no: the agent is told so', async () => {
      const { page } = at.visitor;
      const cancelled = await askedByAgent();
      await press(page, 'Cancel');
      expect(await cancelled.linked).to.contain('access_denied');
      const refused = await askedByAgent();
      await signIn(page);
      await press(page, 'Don’t allow');
      expect(await refused.linked).to.contain('access_denied');
    });

    it('comes to where the agent sends them on, at another address', async () => {
      const { page } = at.visitor;
      const callback = createServer((_, response) => {
        response.writeHead(302, { Location: 'https://elsewhere.example/linked' }).end();
      });
      await once(callback.listen(0, '127.0.0.1'), 'listening');
      try {
        const { port } = callback.address() as AddressInfo;
        const asked = authorization(max, newVerifier(), {
          redirect_uri: `http://127.0.0.1:${port}/callback`,
        });
        await page.goto(
          `${at.storefront.shop.base}/oauth/authorize?${new URLSearchParams(asked as Record<string, string>)}`,
        );
        const failed = page.waitForEvent('requestfailed', (one) => one.url().startsWith('https://elsewhere'));
        await press(page, 'Cancel');
        // The browser of these tests finds no such host: it has looked for it.
        expect((await failed).failure()?.errorText).to.equal('net::ERR_NAME_NOT_RESOLVED');
      } finally {
        callback.close();
        callback.closeAllConnections();
      }
    });

    it('sees pages on which no script runs, and that no other page can frame', async () => {
      const { page } = at.visitor;
      const { linked } = await askedByAgent();
      const address = page.url();
      expect(await page.locator('script').count()).to.equal(0);
      expect(await runsScripts(page)).to.equal(false);
      const [complaint, ...more] = at.storefront.mistakes.splice(0);
      expect(complaint).to.contain('inline script');
      expect(more).to.deep.equal([]);
      await page.goto('about:blank');
      const framed = page.waitForEvent('framenavigated', (frame) => frame.parentFrame() !== null);
      await page.setContent(`<iframe src="${address.replaceAll('&', '&amp;')}"></iframe>`);
      expect((await framed).url()).to.match(/^chrome-error:/);
      await page.goto(address);
      await press(page, 'Cancel');
      await linked;
    });
  });
};

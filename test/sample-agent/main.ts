import { createCaller } from './caller.ts';
import { findShop } from './discovery.ts';
import { openInbox, type Inbox } from './inbox.ts';
import { keptKey } from './keys.ts';
import { linkMember, type LinkedMember } from './linking.ts';
import { help, readOptions, type Options } from './options.ts';
import { profileOf } from './profile.ts';
import { buy } from './purchase.ts';
import { createShopKeys } from './shop-keys.ts';
import { createTranscript, type Transcript } from './transcript.ts';

const SECOND = 1000;
const FIRST_NOTICE_SECONDS = 10;
/** What becomes of a purchase at once. */
const FIRST_NOTICES = ['order_placed', 'checkout_completed'];

/** What the shop tells of the order, as it comes: waits for the first notices, and longer where that is asked for. */
const hearOf = async (
  inbox: Inbox,
  { watchSeconds }: Options,
  { notice, problem }: Transcript,
): Promise<void> => {
  const began = performance.now();
  const left = (seconds: number): number => Math.max(0, began + seconds * SECOND - performance.now());
  const awaited = new Set(FIRST_NOTICES);
  let isTold = false;
  for (;;) {
    const patience = awaited.size > 0 ? Math.max(FIRST_NOTICE_SECONDS, watchSeconds) : watchSeconds;
    const told = await inbox.next(left(patience));
    if (!told) break;
    const { type, body, verdict } = told;
    notice(`${type} ${String(body['id'])}`, verdict);
    awaited.delete(type);
    isTold = true;
  }
  if (!isTold) problem('The shop has told nothing.');
};

/** A whole run. Returns whether all went as it should. */
const run = async (options: Options): Promise<boolean> => {
  const { shop: address, version, isStrict } = options;
  const transcript = createTranscript((line) => void process.stdout.write(`${line}\n`));
  const key = keptKey(options.keyFile);
  const shopKeys = createShopKeys(address);
  const profile = (own: string): unknown => profileOf(own, key);
  const inbox = await openInbox({
    port: options.port,
    publicUrl: options.publicUrl,
    profile,
    shopKeys,
  });
  try {
    transcript.say(`I am ${inbox.profileUrl}, and sign with ${key.kid}.`);
    let member: LinkedMember | null = null;
    const bearer = (): string | null => member?.accessToken() ?? null;
    const caller = createCaller({
      ...{ version, key, shopKeys, transcript, bearer },
      profileUrl: inbox.profileUrl,
    });
    transcript.step('Find the shop');
    const shop = await findShop(caller, options, transcript);
    if (options.link) {
      transcript.step('Link a member');
      member = await linkMember({ shop: address, ...options.link, inbox, transcript });
    }
    const orderUrl = await buy({ options, caller, shop, transcript });
    transcript.step('Hear of it');
    await hearOf(inbox, options, transcript);
    if (member) {
      transcript.step('Unlink the member');
      await member.unlink();
      const { status } = await caller.ask('GET', orderUrl, { why: 'with the former token' });
      if (status === 401) transcript.say('The shop no longer accepts it.');
      else transcript.problem('The shop still accepts it.');
    }
    const { verified, unsigned, wrong, problems } = transcript.counted();
    transcript.close(`Signatures of the shop: ${verified} verified, ${unsigned} missing, ${wrong} wrong.`);
    return wrong === 0 && (!isStrict || unsigned + problems === 0);
  } finally {
    await inbox.close();
  }
};

const main = async (): Promise<number> => {
  try {
    const options = readOptions(process.argv.slice(2));
    if (options) return (await run(options)) ? 0 : 1;
    process.stdout.write(help);
    return 0;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : '';
    process.stderr.write(`\nThe agent gives up: ${why}${cause}.\n`);
    return 1;
  }
};

process.exitCode = await main();

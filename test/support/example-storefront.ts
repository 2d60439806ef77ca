import { expect } from 'chai';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { skipFor } from './real-engine.ts';
import { ShopProcess } from './shop-process.ts';
import { root } from './tillroll-process.ts';

const folderOfExample = join(root, 'docs/examples/storefront');

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

const PATIENCE_MILLISECONDS = 30_000;

/** Who shops in it. */
export interface Visitor {
  readonly page: Page;
  /** Keeps a picture of the page in the folder that SCREENSHOTS names. */
  shot(name: string): Promise<void>;
}

/** The storefront of docs/examples on an origin of its own, a shop that lets it call, and a browser. */
export class ExampleStorefront {
  readonly origin: string;
  readonly shop: ShopProcess;
  /** What went wrong in pages: uncaught errors, and whatever their content security policy held back. */
  readonly mistakes: string[] = [];
  readonly #folder: string;
  readonly #server: ChildProcess;
  readonly #browser: Browser;

  private constructor(
    origin: string,
    folder: string,
    server: ChildProcess,
    shop: ShopProcess,
    browser: Browser,
  ) {
    this.origin = origin;
    this.#folder = folder;
    this.#server = server;
    this.shop = shop;
    this.#browser = browser;
  }

  /** `env`: further settings of the shop. */
  static async open(program: string, env: Readonly<Record<string, string>>): Promise<ExampleStorefront> {
    const folder = mkdtempSync(join(tmpdir(), 'tillroll-storefront-'));
    cpSync(folderOfExample, folder, { recursive: true });
    const server = fork(join(folder, 'server.js'), {
      env: { PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    // Nothing outlives the tests, however they end.
    process.once('exit', () => server.kill());
    const [printed] = server.stdout ? await once(server.stdout.setEncoding('utf8'), 'data') : [];
    const [origin = ''] = /http:\S+/.exec(String(printed)) ?? [];
    const [shop, browser] = await Promise.all([
      ShopProcess.open({
        env: {
          Storefront__AllowedOrigins: origin,
          Storefront__AllowedReturnHosts: new URL(origin).host,
          ...env,
        },
      }),
      chromium.launch({
        executablePath: program,
        // Pictures of the demo store are nowhere, and tests reach no network.
        args: ['--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1'],
      }),
    ]);
    const storefront = new ExampleStorefront(origin, folder, server, shop, browser);
    storefront.write('config.js', readFileSync(join(folder, 'config.js'), 'utf8'));
    return storefront;
  }

  /** Somebody new, with a browser that knows no cookie. */
  async visitor(): Promise<Visitor> {
    const context = await this.#browser.newContext({
      baseURL: this.origin,
      locale: 'en-GB',
      viewport: { width: 1280, height: 900 },
    });
    context.setDefaultTimeout(PATIENCE_MILLISECONDS);
    const page = await context.newPage();
    page.on('pageerror', (error) => this.mistakes.push(String(error.stack)));
    page.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) this.mistakes.push(message.text());
    });
    const folder = process.env['SCREENSHOTS'];
    return {
      page,
      shot: async (name) => {
        if (folder) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
      },
    };
  }

  /** Writes a file of the storefront. Where it names the shop's usual address, it finds this one. */
  write(name: string, text: string): void {
    const here = text.replace('http://localhost:4000', `http://localhost:${this.shop.port}`);
    writeFileSync(join(this.#folder, name), here);
  }

  async close(): Promise<void> {
    await this.#browser.close();
    this.#server.kill();
    await this.shop.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** What tests in a browser have. */
export interface InBrowser {
  readonly storefront: ExampleStorefront;
  /** A new one for each test. */
  readonly visitor: Visitor;
}

/**
 * Declares tests in Debian's Chromium, which share it and an example storefront whose shop has these settings. Where it
 * is not installed they are counted as skipped.
 */
export const inChromium = (env: Readonly<Record<string, string>>, tests: (at: InBrowser) => void): void => {
  const paths = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'chromium'));
  const program = paths.find(isProgram);
  const open: { storefront?: ExampleStorefront; visitor?: Visitor } = {};
  const there = <Part>(part: Part | undefined): Part => {
    if (part === undefined) throw new Error('the browser is not open');
    return part;
  };
  const at = {
    get storefront() {
      return there(open.storefront);
    },
    get visitor() {
      return there(open.visitor);
    },
  };
  if (program === undefined) {
    skipFor('Chromium is not installed', () => tests(at));
    return;
  }
  before(async () => {
    open.storefront = await ExampleStorefront.open(program, env);
  });
  after(() => open.storefront?.close());
  beforeEach(async () => {
    open.visitor = await at.storefront.visitor();
  });
  afterEach(async function () {
    if (this.currentTest?.isFailed()) await at.visitor.shot('failed');
    await at.visitor.page.context().close();
    expect(at.storefront.mistakes).to.deep.equal([]);
  });
  tests(at);
};

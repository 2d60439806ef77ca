import { Argument, type Command } from 'commander';
import { services, type Service } from '#values/service.ts';

/** `tillroll config check`: prints the effective configuration, or everything wrong with it. */
export const addConfigCommands = (program: Command): void => {
  program
    .command('config')
    .description('The configuration')
    .command('check')
    .description('Check file and environment, and print what would be used')
    .addArgument(serviceArgument())
    .action(async (service: Service | undefined) => {
      const [{ loadConfig }, { withoutPassword }, { stringify }] = await Promise.all([
        import('./config.ts'),
        import('./config-engines.ts'),
        import('yaml'),
      ]);
      const config = loadConfig(service ? { service } : {});
      const shown = withoutSecrets(config, withoutPassword);
      process.stdout.write(`The configuration is valid.\n\n${stringify(JSON.parse(shown))}`);
    });
};

/** `[service]`: a service that runs on its own. */
export const serviceArgument = (): Argument =>
  new Argument('[service]', 'one service on its own; default: all in one process').choices(services);

const secrets = new Set([
  'applicationKey',
  'backofficeApiKey',
  'testingSecret',
  'downloadTokenSecret',
  'simulationSecret',
  'secret',
  'secretKey',
  'webhookSecret',
  'clientSecretHash',
]);

/** Addresses may hold a credential. */
const addresses = new Set(['address', 'url']);

const withoutSecrets = (config: object, withoutPassword: (address: string) => string): string =>
  JSON.stringify(config, (name, value: unknown) => {
    if (secrets.has(name) && value) return '(set)';
    return addresses.has(name) && typeof value === 'string' ? withoutPassword(value) : value;
  });

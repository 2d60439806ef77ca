import { pino, type Logger } from 'pino';

/** Structured lines on standard output, one a record. Credentials never get into them. */
export const createLogger = (level: string, service: string): Logger =>
  pino({
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: ['*.authorization', '*.cookie', '*.password', '*.token', '*.secret', '*.paymentMethodToken'],
  });

/** For tests and commands that print themselves. */
export const silentLogger = (): Logger => pino({ level: 'silent' });

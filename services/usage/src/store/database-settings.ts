import { booleanSetting, readAuthoritiesFile, settingRefusal, type Logger } from '@sluice/service';
import * as z from 'zod';
import type { Database } from './database.ts';
import { openPglite } from './pglite-database.ts';
import { openPostgres } from './postgres-database.ts';

/** Where the tables are. Exactly one of DATABASE_URL and DATABASE_FOLDER is set. */
export const databaseSettings = {
  /** A PostgreSQL server, `postgres://user@host:port/database`. */
  DATABASE_URL: z
    .string()
    .refine(isPostgresUrl, 'must be a postgres:// address with a database, without options')
    .optional(),
  /** A folder for the embedded database, which no other process uses. */
  DATABASE_FOLDER: z.string().optional(),
  DATABASE_PASSWORD: z.string().optional(),
  DATABASE_TLS: booleanSetting().default(false),
  /** A PEM file of CA certificates to trust instead of those of the system. */
  DATABASE_CA_FILE: z.string().optional(),
};

export type DatabaseSettings = z.infer<z.ZodObject<typeof databaseSettings>>;

export function checkDatabaseSettings(settings: DatabaseSettings, context: z.RefinementCtx): void {
  const refuse = settingRefusal<keyof DatabaseSettings>(context);
  const { DATABASE_URL, DATABASE_FOLDER, DATABASE_PASSWORD, DATABASE_TLS } = settings;
  if ((DATABASE_URL === undefined) === (DATABASE_FOLDER === undefined)) {
    refuse('DATABASE_URL', 'set it, or set DATABASE_FOLDER for the embedded database, not both');
  }
  if (DATABASE_URL === undefined) {
    const advice = 'is for PostgreSQL: set DATABASE_URL';
    if (DATABASE_PASSWORD !== undefined) refuse('DATABASE_PASSWORD', advice);
    if (DATABASE_TLS) refuse('DATABASE_TLS', advice);
  } else if (DATABASE_PASSWORD !== undefined && URL.parse(DATABASE_URL)?.password !== '') {
    refuse('DATABASE_PASSWORD', 'excludes a password in DATABASE_URL');
  }
  if (!DATABASE_TLS && settings.DATABASE_CA_FILE !== undefined) {
    refuse('DATABASE_CA_FILE', 'is for TLS: set DATABASE_TLS=true');
  }
}

/** Returns a function that opens the database of these settings. The CA file is read once, before it returns. */
export function databaseOf(settings: DatabaseSettings, logger: Logger): () => Promise<Database> {
  const { DATABASE_URL: url, DATABASE_FOLDER: folder } = settings;
  if (url === undefined) return () => openPglite(folder ?? '');
  const authorities = readAuthoritiesFile('DATABASE_CA_FILE', settings);
  const tls = settings.DATABASE_TLS ? { ca: authorities } : undefined;
  return async () => openPostgres({ url, password: settings.DATABASE_PASSWORD, tls }, logger);
}

/** Options in the address could turn TLS off, or contradict another setting. */
function isPostgresUrl(text: string): boolean {
  const url = URL.parse(text);
  return (
    url !== null &&
    /^postgres(?:ql)?:$/.test(url.protocol) &&
    url.hostname !== '' &&
    url.pathname.length > 1 &&
    url.search === '' &&
    url.hash === ''
  );
}

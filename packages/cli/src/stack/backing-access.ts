type Environment = Readonly<Record<string, string | undefined>>;

/** How a NATS of somebody else is entered. */
const NATS_ACCESS = /^NATS_(?:CA|CERT|KEY|CREDS)_FILE$/;

/** The environment without what opens other servers: our own have no locks, and services refuse what would be ignored. */
export function withoutNatsAccess(environment: Environment): Environment {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !NATS_ACCESS.test(name)),
  );
}

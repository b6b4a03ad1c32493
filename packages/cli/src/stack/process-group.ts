import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openLogFile, supervise, type Supervised, type SupervisedOptions } from '@sluice/servers';
import { COMPILE_CACHE } from '../compile-cache.ts';
import { answersOk } from './http-answer.ts';
import { NEEDS, ROLES, type Role, type ServicePlan } from './plan-services.ts';
import type { Progress } from './progress.ts';
import type { RunningProcess } from './running-stack.ts';

const root = join(import.meta.dirname, '../../../..');

/** A member of a stack: a process to start, or an external server. */
export interface Member {
  readonly name: string;
  readonly role: Role;
  readonly url: string;
  readonly readyUrl: string | null;
  /** Undefined for an external server. */
  readonly plan: SupervisedOptions | undefined;
}

export interface GroupOptions {
  readonly progress: Progress;
  /** Called when a process starts, ends or becomes ready. */
  readonly onChange: () => void;
  /** Whether the stack serves requests again. Called after a process was restarted. */
  readonly servesAgain: () => Promise<boolean>;
}

const CHECK_EVERY_MS = 50;
/** Time for a quick drain and for the last replies, cancellations and records, also on a busy machine. */
const GRACE_MS = 10_000;

/**
 * The processes of one stack. A role is started when the roles that it needs are ready. Roles are stopped in the order
 * of ROLES.
 */
export class ProcessGroup {
  readonly #members: readonly Member[];
  readonly #supervised = new Map<string, Supervised>();
  readonly #ready = new Map<Role, Promise<void>>();
  readonly #progress: Progress;
  readonly #onChange: () => void;
  readonly #servesAgain: () => Promise<boolean>;
  /** Processes that are ready after a restart, while the stack does not serve requests yet. */
  readonly #returning = new Set<string>();
  #stopping = false;

  constructor(members: readonly Member[], { progress, onChange, servesAgain }: GroupOptions) {
    this.#members = members;
    this.#progress = progress;
    this.#onChange = onChange;
    this.#servesAgain = servesAgain;
    // ROLES is the order of stopping. In reverse, every role comes after the roles that it needs.
    for (const role of ROLES.toReversed()) {
      const ready = this.#startRole(role);
      // Callers of `ready()` get the failure. Without this handler it would be an unhandled rejection until then.
      ready.catch(() => undefined);
      this.#ready.set(role, ready);
    }
  }

  /** Resolves when every process of these roles is ready; rejects when one cannot be started. */
  async ready(...roles: readonly Role[]): Promise<void> {
    await Promise.all(roles.map(async (role) => this.#ready.get(role)));
  }

  describe(): RunningProcess[] {
    return this.#members.map(({ name, url, readyUrl, plan }) => {
      const supervised = this.#supervised.get(name);
      return {
        name,
        url,
        health_url: readyUrl,
        external: plan === undefined,
        process: supervised?.process ?? null,
        ready: plan === undefined || (supervised?.ready === true && !this.#returning.has(name)),
        restarts: supervised?.restarts ?? 0,
      };
    });
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    for (const role of ROLES) {
      const names = this.#members.filter((member) => member.role === role).map(({ name }) => name);
      await Promise.all(names.map(async (name) => this.#supervised.get(name)?.stop()));
    }
  }

  /** Kills every process at once. */
  kill(): void {
    this.#stopping = true;
    for (const supervised of this.#supervised.values()) supervised.kill();
  }

  async #startRole(role: Role): Promise<void> {
    await this.ready(...NEEDS[role]);
    const members = this.#members.filter((member) => member.role === role);
    await Promise.all(members.map(async (member) => this.#start(member)));
  }

  async #start({ name, plan }: Member): Promise<void> {
    if (plan === undefined) return;
    if (this.#stopping) throw new Error(`${name} is not started: the stack is being stopped`);
    this.#progress.starting(name);
    const supervised = supervise(plan, {
      onReady: (restarts) => void this.#announce(name, restarts),
      onDeath: (ending, delayMs) => this.#progress.died(name, ending, delayMs),
      onChange: this.#onChange,
    });
    this.#supervised.set(name, supervised);
    await supervised.firstReady;
  }

  /** Reports a process as ready. A restarted process is reported when the stack serves requests again. */
  async #announce(name: string, restarts: number): Promise<void> {
    if (restarts > 0) {
      this.#returning.add(name);
      const current = this.#supervised.get(name)?.process;
      const isSame = () => !this.#stopping && this.#supervised.get(name)?.process === current;
      while (isSame() && !(await this.#servesAgain())) await delay(CHECK_EVERY_MS);
      this.#returning.delete(name);
      if (!isSame()) return;
    }
    this.#progress.ready(name, restarts);
    this.#onChange();
  }
}

export interface ServiceInputs {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly logs: string;
}

/** A Sluice service as a member: a Node process that ends together with this one. */
export function serviceMember(
  { name, role, entry, settings, url, readyUrl }: ServicePlan,
  { environment, logs }: ServiceInputs,
): Member {
  return {
    name,
    role,
    url,
    readyUrl,
    plan: {
      name,
      program: process.execPath,
      parameters: [join(root, entry)],
      environment: {
        NODE_COMPILE_CACHE: COMPILE_CACHE,
        ...withoutEmpty(environment),
        ...settings,
      },
      log: openLogFile(join(logs, `${name}.log`)),
      tether: true,
      // On SIGTERM, a service would drain for as long as its settings allow.
      stopSignal: 'SIGINT',
      graceMs: GRACE_MS,
      isReady: async () => answersOk(readyUrl),
    },
  };
}

/** Removes empty variables: they count as not set and must not hide a default. */
function withoutEmpty(environment: ServiceInputs['environment']) {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
}

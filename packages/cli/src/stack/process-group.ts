import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { COMPILE_CACHE } from '../compile-cache.ts';
import { answersOk } from './http-answer.ts';
import { launch } from './launch.ts';
import { openLogFile } from './log-file.ts';
import { NEEDS, ROLES, type Role, type ServicePlan } from './plan-services.ts';
import type { Progress } from './progress.ts';
import type { RunningProcess } from './running-stack.ts';
import { supervise, type ProcessPlan, type Supervised } from './supervise.ts';

const root = join(import.meta.dirname, '../../../..');

/** A process to run in a stack, in whichever way it is started. */
export interface Member {
  readonly name: string;
  readonly role: Role;
  readonly url: string;
  readonly readyUrl: string | null;
  /** Undefined for a server that runs already and belongs to somebody else. */
  readonly plan: ProcessPlan | undefined;
}

export interface GroupOptions {
  readonly progress: Progress;
  /** A process has come, gone or become ready. */
  readonly onChange: () => void;
  /** Whether the stack as a whole works again, asked after one of them was restarted. */
  readonly isWhole: () => Promise<boolean>;
}

const WHOLE_EVERY_MS = 50;
/** For a quick drain, and the last replies, cancels and records after it, on a machine that is busy. */
const GRACE_MS = 10_000;

/** The processes of one stack: started as each one's needs are ready, stopped in order. */
export class ProcessGroup {
  readonly #members: readonly Member[];
  readonly #supervised = new Map<string, Supervised>();
  readonly #ready = new Map<Role, Promise<void>>();
  readonly #progress: Progress;
  readonly #onChange: () => void;
  readonly #isWhole: () => Promise<boolean>;
  /** Those that are back and whose neighbours have not all found them yet. */
  readonly #returning = new Set<string>();
  #stopping = false;

  constructor(members: readonly Member[], { progress, onChange, isWhole }: GroupOptions) {
    this.#members = members;
    this.#progress = progress;
    this.#onChange = onChange;
    this.#isWhole = isWhole;
    // What is needed comes before what needs it.
    for (const role of ROLES.toReversed()) {
      const ready = this.#startRole(role);
      // Whoever waits for it hears of the failure; nobody may be waiting yet.
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

  /** At once, without asking. */
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

  /** One that came back is called ready when requests get through again, not before. */
  async #announce(name: string, restarts: number): Promise<void> {
    if (restarts > 0) {
      this.#returning.add(name);
      const current = this.#supervised.get(name)?.process;
      const isSame = () => !this.#stopping && this.#supervised.get(name)?.process === current;
      while (isSame() && !(await this.#isWhole())) await delay(WHOLE_EVERY_MS);
      this.#returning.delete(name);
      if (!isSame()) return;
    }
    this.#progress.ready(name, restarts);
    this.#onChange();
  }
}

export interface ServiceSurroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly logs: string;
}

/** One of our own services as a member: a Node process that ends when this one does. */
export function serviceMember(
  { name, role, entry, settings, url, readyUrl }: ServicePlan,
  { environment, logs }: ServiceSurroundings,
): Member {
  const log = openLogFile(logs, name);
  return {
    name,
    role,
    url,
    readyUrl,
    plan: {
      name,
      log,
      graceMs: GRACE_MS,
      stopSignal: 'SIGINT',
      isReady: async () => answersOk(readyUrl),
      launch: async () =>
        launch({
          program: process.execPath,
          parameters: [join(root, entry)],
          environment: {
            NODE_COMPILE_CACHE: COMPILE_CACHE,
            ...withoutEmpty(environment),
            ...settings,
          },
          log: log.descriptor,
          tether: true,
        }),
    },
  };
}

/** An empty variable is one that is not set: it hides no default. */
function withoutEmpty(environment: ServiceSurroundings['environment']) {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
}

import type { CatalogConsoleHandlers } from '@sluice/rpc';
import type { ChangeWriter } from '../changes/change-writer.ts';
import type { PlaygroundIssuer } from '../changes/playground-issuer.ts';
import type { ModelLists } from '../lookups/model-lists.ts';
import type { ReadinessGate } from '../lookups/readiness-gate.ts';
import type { CatalogView } from '../model/catalog-state.ts';
import type { ResourceStore } from '../model/resource-store.ts';
import { accountCalls } from './account-calls.ts';
import { CallBuilder } from './call-builder.ts';
import { keyCalls } from './key-calls.ts';
import { organizationCalls } from './organization-calls.ts';
import { platformCalls } from './platform-calls.ts';
import { sessionCalls } from './session-calls.ts';

export interface ConsoleHandlerOptions {
  readonly gate: ReadinessGate;
  readonly writer: ChangeWriter;
  readonly issuer: PlaygroundIssuer;
  readonly modelLists: ModelLists;
  readonly store: ResourceStore;
  /** The state of this replica, without the checks of the gate. */
  readonly catalog: CatalogView;
  /** The id of the plan that personal organizations get. */
  readonly plan: string | undefined;
  readonly wallClock: () => number;
}

/** The calls of web consoles. */
export function consoleHandlers({
  gate,
  writer,
  issuer,
  modelLists,
  store,
  catalog: known,
  plan,
  wallClock,
}: ConsoleHandlerOptions): CatalogConsoleHandlers {
  const calls = new CallBuilder({ gate, writer });
  return {
    ...sessionCalls({ calls, gate, writer, plan, wallClock }),
    ...organizationCalls({ calls, writer, known, wallClock }),
    ...keyCalls({ calls, issuer, modelLists, wallClock }),
    ...accountCalls(calls),
    ...platformCalls({ calls, store, known }),
  };
}

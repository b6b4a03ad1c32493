import { BLOCK_ENDS, type PromptPrefix } from '@sluice/contracts';
import { SeededRandom } from '@sluice/simulator';
import { FleetTable } from '../../src/fleet/fleet-table.ts';
import { heartbeatOf } from '../../src/fleet/heartbeat-fixture.ts';
import { chooseByConversation } from './conversation-hash.ts';

const FLEETS = [10, 100, 1_000, 10_000];
const ROUNDS = 5;
const CHOICES = 20_000;
/** Workers times choices. The old rule takes milliseconds in a large fleet, so it makes fewer choices there. */
const OLD_WORK = 400_000;
const PROMPTS = 4_000;
const MODEL = { pool: 'default', runtime_model: 'large' };
const NONE: ReadonlySet<string> = new Set();

const random = new SeededRandom(1);
const draw = () => random.fraction();

/** The blocks of a prompt of 4,000 tokens: half of them are shared with other prompts. */
function longPrompt(number: number): PromptPrefix {
  const blocks = BLOCK_ENDS.filter((end) => end <= 16_384);
  const hashes = blocks.map((_, block) => {
    const shared = block < blocks.length / 2;
    return Math.imul((shared ? number % 64 : number) * 1_000 + block + 1, 0x9e37_79b1);
  });
  return { hashes: Int32Array.from(hashes), tokensPerCharacter: 0.25 };
}

const SHORT: PromptPrefix = { hashes: new Int32Array(0), tokensPerCharacter: 0.25 };

function fleetOf(size: number): FleetTable {
  const fleet = new FleetTable(() => 0);
  for (let number = 0; number < size; number += 1) {
    const load = { slots: 64, running: random.integer(20, 50), queued: 0, queue_limit: 128 };
    fleet.update(heartbeatOf(`default.${number}`, { load }));
  }
  return fleet;
}

/** Microseconds for one call, the median of some rounds. */
function microseconds(calls: number, call: (number: number) => void): number {
  for (let number = 0; number < Math.min(calls, 2_000); number += 1) call(number);
  const rounds = Array.from({ length: ROUNDS }, () => {
    const startedAt = performance.now();
    for (let number = 0; number < calls; number += 1) call(number);
    return ((performance.now() - startedAt) * 1_000) / calls;
  });
  return rounds.toSorted((one, other) => one - other)[Math.floor(ROUNDS / 2)] ?? 0;
}

/** Chooses a worker and offers it the job. One of the jobs ends, so that the load stays as it is. */
function chooseAndOffer(fleet: FleetTable, prefix: PromptPrefix): void {
  const choice = fleet.choose(MODEL, { prefix, except: NONE, random: draw });
  if (choice === undefined) throw new Error('no worker was chosen');
  const { worker } = choice;
  fleet.recordPrompt(worker, prefix);
  worker.offered += 1;
  worker.offered -= 1;
}

// One line of JSON for each size of a fleet, for the bench that runs this file.
for (const workers of FLEETS) {
  const fleet = fleetOf(workers);
  const prompts = Array.from({ length: PROMPTS }, (_, number) => longPrompt(number));
  const choose = (prefix: PromptPrefix) =>
    fleet.choose(MODEL, { prefix, except: NONE, random: draw });
  const shortPrompt = microseconds(CHOICES, () => choose(SHORT));
  const cold = microseconds(CHOICES, (number) => choose(prompts[number % PROMPTS] ?? SHORT));
  for (const prefix of prompts) chooseAndOffer(fleet, prefix);
  const warm = microseconds(CHOICES, (number) => choose(prompts[number % PROMPTS] ?? SHORT));
  const offered = microseconds(CHOICES, (number) =>
    chooseAndOffer(fleet, prompts[number % PROMPTS] ?? SHORT),
  );
  const old = microseconds(Math.ceil(OLD_WORK / workers / ROUNDS), (number) => {
    const affinity = Math.imul(number, 0x9e37_79b1) >>> 0;
    const candidates = fleet.candidates(MODEL, NONE);
    chooseByConversation(candidates, { affinity, lastWorker: undefined, random: draw });
  });
  process.stdout.write(`${JSON.stringify({ workers, old, shortPrompt, cold, warm, offered })}\n`);
}

export { type SimulatedAnswer, simulatedAnswer } from './answer.ts';
export type { PastGeneration, SimulatorState } from './engine.ts';
export { PrefixCache, blockSize, type CachedSequence } from './prefix-cache.ts';
export { promptTokens, textTokens } from './prompt.ts';
export { SeededRandom } from './random.ts';
export { type Simulator, type SimulatorOptions, startSimulator } from './simulator.ts';
export type { Steering } from './steering.ts';
export { tokenize } from './tokenizer.ts';

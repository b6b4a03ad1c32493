export { type SimulatedAnswer, simulatedAnswer } from './answer.ts';
export { type PastGeneration, type SimulatorState } from './engine.ts';
export { defaultModels, type SimulatedModel } from './models.ts';
export { SeededRandom } from './random.ts';
export { RefusedRequest } from './refusal.ts';
export { type Simulator, type SimulatorOptions, startSimulator } from './simulator.ts';
export { type Steering } from './steering.ts';
export { tokenize } from './tokenizer.ts';
export { type ReasoningField } from './wire-shapes.ts';

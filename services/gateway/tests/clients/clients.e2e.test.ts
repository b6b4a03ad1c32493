// Each module adds its tests to this file, so that all of them share one stack.
import './ai-sdk.ts';
import './browser.ts';
import './langchain.ts';
import './openai.ts';

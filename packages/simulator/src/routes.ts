import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { planAnswer } from './answer.ts';
import { BreachCounter } from './breach-counter.ts';
import type { Engine } from './engine.ts';
import { metricsPage } from './metrics.ts';
import type { SimulatedModel } from './models.ts';
import { readJsonBody } from './read-body.ts';
import { errorBody, RefusedRequest } from './refusal.ts';
import { sendJson } from './send-json.ts';
import { StreamedReply } from './streamed-reply.ts';
import { tokenizePrompt } from './tokenize-prompt.ts';
import { WholeReply } from './whole-reply.ts';
import type { ReasoningField, ReplyIdentity } from './wire-shapes.ts';

export interface RouteSettings {
  readonly engine: Engine;
  readonly models: readonly SimulatedModel[];
  readonly reasoningField: ReasoningField;
  readonly apiKey: string | undefined;
  readonly startedAt: number;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** The version of vLLM whose API the simulator has. */
const imitatedVersion = '0.11.0+simulator';
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
const seconds = (): number => Math.floor(Date.now() / 1_000);

/** Handles the requests to a simulator, in the formats of vLLM. */
export class Routes {
  readonly #settings: RouteSettings;
  readonly #keyDigest: Buffer | undefined;
  readonly #handlers: Readonly<Record<string, Handler>>;
  readonly #paths: ReadonlySet<string>;
  readonly #breaches = new BreachCounter();

  constructor(settings: RouteSettings) {
    this.#settings = settings;
    this.#keyDigest = settings.apiKey === undefined ? undefined : digest(settings.apiKey);
    const json =
      (make: () => unknown): Handler =>
      (_request, response) =>
        sendJson(response, 200, JSON.stringify(make()));
    this.#handlers = {
      'GET /health': (_request, response) => void response.writeHead(200).end(),
      'GET /version': json(() => ({ version: imitatedVersion })),
      'GET /v1/models': json(() => this.#modelList()),
      'GET /metrics': (_request, response) => this.#metrics(response),
      'GET /sim/state': json(() => settings.engine.state()),
      'GET /sim/generations': json(() => ({ data: settings.engine.past() })),
      'POST /tokenize': async (request, response) => {
        const reply = tokenizePrompt(await readJsonBody(request), settings.models);
        sendJson(response, 200, JSON.stringify(reply));
      },
      'POST /v1/chat/completions': (request, response) => this.#complete(request, response),
    };
    this.#paths = new Set(Object.keys(this.#handlers).map((route) => route.split(' ')[1] ?? ''));
  }

  readonly answer = (request: IncomingMessage, response: ServerResponse): void => {
    this.#dispatch(request, response).catch((error: unknown) => this.#fail(response, error));
  };

  async #dispatch(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
    if (path.startsWith('/v1') && !this.#isAuthorized(request)) {
      // All other errors of vLLM are an object with a message.
      sendJson(response, 401, '{"error":"Unauthorized"}');
      return;
    }
    const handler = this.#handlers[`${request.method ?? 'GET'} ${path}`];
    if (handler !== undefined) return handler(request, response);
    const status = this.#paths.has(path) ? 405 : 404;
    const message = status === 405 ? 'Method Not Allowed' : 'Not Found';
    sendJson(response, status, JSON.stringify(errorBody(status, message)));
  }

  #isAuthorized(request: IncomingMessage): boolean {
    if (this.#keyDigest === undefined) return true;
    const [, given] = /^bearer (.*)$/i.exec(request.headers.authorization ?? '') ?? [];
    return given !== undefined && timingSafeEqual(digest(given), this.#keyDigest);
  }

  #modelList() {
    const { models, startedAt } = this.#settings;
    return {
      object: 'list',
      data: models.map(({ name, contextLength }) => ({
        id: name,
        object: 'model',
        created: startedAt,
        owned_by: 'vllm',
        root: name,
        parent: null,
        max_model_len: contextLength,
        permission: [],
      })),
    };
  }

  #metrics(response: ServerResponse): void {
    const { engine, models } = this.#settings;
    response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
    response.end(metricsPage(engine, models));
  }

  async #complete(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { engine, models, reasoningField } = this.#settings;
    const planned = planAnswer(await readJsonBody(request), models, this.#breaches.mayBreak);
    // The client may have disconnected while its body was read.
    if (response.destroyed) return;
    const given = request.headers['x-request-id'];
    const name = typeof given === 'string' ? given : crypto.randomUUID().replaceAll('-', '');
    const identity: ReplyIdentity = { id: `chatcmpl-${name}`, created: seconds(), reasoningField };
    const reply = planned.plan.stream
      ? new StreamedReply(planned.plan, response, identity)
      : new WholeReply(planned.plan, response, identity);
    const generation = engine.submit(planned, reply);
    response.once('close', () => {
      engine.abort(generation);
      reply.abandon();
    });
  }

  #fail(response: ServerResponse, error: unknown): void {
    if (response.headersSent || response.destroyed) {
      response.destroy();
      return;
    }
    const refusal =
      error instanceof RefusedRequest
        ? error
        : new RefusedRequest(500, 'The simulator failed to answer.');
    sendJson(response, refusal.status, JSON.stringify(refusal.body));
  }
}

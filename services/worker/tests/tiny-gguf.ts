import { writeFile } from 'node:fs/promises';

/** The smallest model that a llama.cpp server loads: one layer of random weights, and a vocabulary of bytes. */
const EMBEDDING = 32;
const FEED_FORWARD = 64;
const HEADS = 4;
const ALIGNMENT = 32;
/** The first three tokens are special. */
const FIRST_BYTE_TOKEN = 3;

const TYPE = { uint32: 4, float32: 6, string: 8, array: 9, int32: 5 } as const;
const TOKEN_TYPE = { normal: 1, unknown: 2, control: 3, byte: 6 } as const;

const CHAT_TEMPLATE =
  "{% for message in messages %}{{ message['role'] }}: {{ message['content'] }}\n{% endfor %}assistant: ";

interface Tensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

export async function writeTinyGguf(path: string, contextLength: number): Promise<void> {
  const vocabulary = vocabularyOfBytes();
  const metadata = [
    text('general.architecture', 'llama'),
    text('general.name', 'tiny'),
    uint32('llama.context_length', contextLength),
    uint32('llama.embedding_length', EMBEDDING),
    uint32('llama.block_count', 1),
    uint32('llama.feed_forward_length', FEED_FORWARD),
    uint32('llama.attention.head_count', HEADS),
    uint32('llama.attention.head_count_kv', HEADS),
    uint32('llama.rope.dimension_count', EMBEDDING / HEADS),
    uint32('llama.vocab_size', vocabulary.length),
    float32('llama.attention.layer_norm_rms_epsilon', 1e-5),
    text('tokenizer.ggml.model', 'llama'),
    array(
      'tokenizer.ggml.tokens',
      TYPE.string,
      vocabulary.map(({ token }) => textValue(token)),
    ),
    array(
      'tokenizer.ggml.scores',
      TYPE.float32,
      vocabulary.map(() => float32Value(0)),
    ),
    array(
      'tokenizer.ggml.token_type',
      TYPE.int32,
      vocabulary.map(({ type }) => uint32Value(type)),
    ),
    uint32('tokenizer.ggml.unknown_token_id', 0),
    uint32('tokenizer.ggml.bos_token_id', 1),
    uint32('tokenizer.ggml.eos_token_id', 2),
    text('tokenizer.chat_template', CHAT_TEMPLATE),
  ];
  const tensors = tensorsFor(vocabulary.length);
  const head = [
    Buffer.from('GGUF'),
    uint32Value(3),
    uint64Value(tensors.length),
    uint64Value(metadata.length),
    ...metadata,
    ...tensorInfos(tensors),
  ];
  await writeFile(
    path,
    Buffer.concat([
      padded(Buffer.concat(head)),
      ...tensors.map(({ data }) => padded(bytesOf(data))),
    ]),
  );
}

function vocabularyOfBytes(): { token: string; type: number }[] {
  const bytes = Array.from({ length: 256 }, (_, byte) => ({
    token: `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`,
    type: TOKEN_TYPE.byte,
  }));
  return [
    { token: '<unk>', type: TOKEN_TYPE.unknown },
    { token: '<s>', type: TOKEN_TYPE.control },
    { token: '</s>', type: TOKEN_TYPE.control },
    ...bytes,
    // The form of a space in this kind of vocabulary.
    { token: '\u2581', type: TOKEN_TYPE.normal },
  ];
}

function tensorsFor(vocabulary: number): Tensor[] {
  const random = numbersFrom(7);
  const noise = (name: string, ...shape: number[]): Tensor => ({
    name,
    shape,
    data: Float32Array.from(
      { length: shape.reduce((product, size) => product * size, 1) },
      () => (random() - 0.5) * 0.2,
    ),
  });
  // One feature is high in every state and lowers the probability of the end: the model generates until it is stopped.
  const embedding = noise('token_embd.weight', EMBEDDING, vocabulary);
  const output = noise('output.weight', EMBEDDING, vocabulary);
  for (let token = 0; token < vocabulary; token += 1) {
    embedding.data[token * EMBEDDING] = 4;
    output.data[token * EMBEDDING] = token < FIRST_BYTE_TOKEN ? -10 : 0;
  }
  const ones = (name: string): Tensor => ({
    name,
    shape: [EMBEDDING],
    data: new Float32Array(EMBEDDING).fill(1),
  });
  return [
    embedding,
    ones('blk.0.attn_norm.weight'),
    ...['attn_q', 'attn_k', 'attn_v', 'attn_output'].map((name) =>
      noise(`blk.0.${name}.weight`, EMBEDDING, EMBEDDING),
    ),
    ones('blk.0.ffn_norm.weight'),
    noise('blk.0.ffn_gate.weight', EMBEDDING, FEED_FORWARD),
    noise('blk.0.ffn_up.weight', EMBEDDING, FEED_FORWARD),
    noise('blk.0.ffn_down.weight', FEED_FORWARD, EMBEDDING),
    ones('output_norm.weight'),
    output,
  ];
}

function tensorInfos(tensors: readonly Tensor[]): Buffer[] {
  let offset = 0;
  return tensors.map(({ name, shape, data }) => {
    const info = Buffer.concat([
      textValue(name),
      uint32Value(shape.length),
      ...shape.map((size) => uint64Value(size)),
      // 32-bit floating point.
      uint32Value(0),
      uint64Value(offset),
    ]);
    offset += Math.ceil(data.byteLength / ALIGNMENT) * ALIGNMENT;
    return info;
  });
}

/** Random numbers that are the same in every run. */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 0x1_0000_0000;
  };
}

function text(key: string, value: string): Buffer {
  return Buffer.concat([textValue(key), uint32Value(TYPE.string), textValue(value)]);
}

function uint32(key: string, value: number): Buffer {
  return Buffer.concat([textValue(key), uint32Value(TYPE.uint32), uint32Value(value)]);
}

function float32(key: string, value: number): Buffer {
  return Buffer.concat([textValue(key), uint32Value(TYPE.float32), float32Value(value)]);
}

function array(key: string, type: number, values: readonly Buffer[]): Buffer {
  return Buffer.concat([
    textValue(key),
    uint32Value(TYPE.array),
    uint32Value(type),
    uint64Value(values.length),
    ...values,
  ]);
}

function textValue(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([uint64Value(bytes.length), bytes]);
}

function uint32Value(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function uint64Value(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

function float32Value(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return bytes;
}

function bytesOf(data: Float32Array): Buffer {
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
}

function padded(bytes: Buffer): Buffer {
  const missing = (ALIGNMENT - (bytes.length % ALIGNMENT)) % ALIGNMENT;
  return missing === 0 ? bytes : Buffer.concat([bytes, Buffer.alloc(missing)]);
}

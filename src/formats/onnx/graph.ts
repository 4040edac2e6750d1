// Writes an ONNX graph node by node; each call returns the name of the node's output. The file of the graph does not
// contain the weights. The weights are in another file (external data), and the graph contains the offset of each
// weight in that file.
import proto, { type onnx } from 'onnx-proto';

const { AttributeProto, ModelProto, TensorProto } = proto.onnx;
const { AttributeType } = AttributeProto;
const { DataType, DataLocation } = TensorProto;

/** The versions of the operator set and of the file format. Both versions belong to ONNX 1.12. */
export const opset = 17;
const irVersion = 8;

/** Name of a value in the graph. */
export type ValueName = string;
/** The value of a node's attribute: a list of whole numbers, or one real number. */
type Attribute = number | readonly number[] | { real: number };
export type ValueType = 'float' | 'int64';
/** The sizes of a tensor. A size that is known only when the graph is run has a name instead of a number. */
type Sizes = readonly (number | string)[];

/** The position of a float32 array in a file. */
export interface Placed {
  name: string;
  shape: readonly number[];
  offset: number;
}

const types = { float: DataType.FLOAT, int64: DataType.INT64 };

export class Graph {
  #nodes: onnx.INodeProto[] = [];
  #inputs: onnx.IValueInfoProto[] = [];
  #outputs: onnx.IValueInfoProto[] = [];
  #constants = new Map<string, onnx.ITensorProto>();

  /** Adds a node and returns its output. */
  readonly op = (type: string, inputs: readonly ValueName[], attributes: Record<string, Attribute> = {}): ValueName =>
    this.ops(type, inputs, { count: 1, attributes })[0] as ValueName;

  /** Adds a node that has several outputs, and returns all of them. */
  ops(
    type: string,
    inputs: readonly ValueName[],
    { count, attributes = {} }: { count: number; attributes?: Record<string, Attribute> },
  ): ValueName[] {
    const name = `${type}_${this.#nodes.length}`;
    const output = Array.from({ length: count }, (_, i) => `${name}_${i}`);
    const attribute = Object.entries(attributes).map(([key, value]) => ({ name: key, ...attributeOf(value) }));
    this.#nodes.push({ opType: type, name, input: [...inputs], output, attribute });
    return output;
  }

  input(name: string, type: ValueType, sizes: Sizes): ValueName {
    this.#inputs.push(valueInfo(name, type, sizes));
    return name;
  }

  /** Makes a value an output of the graph with this name. */
  output(name: string, value: ValueName, sizes: Sizes): void {
    this.#nodes.push({ opType: 'Identity', name: `out_${name}`, input: [value], output: [name] });
    this.#outputs.push(valueInfo(name, 'float', sizes));
  }

  /** Adds a constant of whole numbers: a list if `values` is a list, and a scalar if it is a single number. */
  readonly whole = (values: number | readonly number[]): ValueName => {
    const list = typeof values === 'number' ? [values] : [...values];
    const name = typeof values === 'number' ? `scalar_${values}` : `whole_${list.join('_')}`;
    const dims = typeof values === 'number' ? [] : [list.length];
    this.#constants.set(name, { name, dims, dataType: DataType.INT64, int64Data: list });
    return name;
  };

  /** Adds a constant of real numbers: a list if `values` is a list, and a scalar if it is a single number. */
  readonly real = (name: string, values: number | readonly number[]): ValueName => {
    const [dims, floatData] = typeof values === 'number' ? [[], [values]] : [[values.length], [...values]];
    this.#constants.set(name, { name, dims, dataType: DataType.FLOAT, floatData });
    return name;
  };

  /**
   * The bytes of the model's file. The weights are in another file with the name `location`, which must be in the same
   * folder.
   */
  bytes(name: string, weights: readonly Placed[], location: string): Uint8Array {
    const stored = weights.map(({ name: key, shape, offset }): onnx.ITensorProto => {
      const length = 4 * shape.reduce((product, size) => product * size, 1);
      const entries = { location, offset: String(offset), length: String(length) };
      return {
        ...{ name: key, dims: [...shape], dataType: DataType.FLOAT, dataLocation: DataLocation.EXTERNAL },
        externalData: Object.entries(entries).map(([entry, value]) => ({ key: entry, value })),
      };
    });
    return ModelProto.encode({
      ...{ irVersion, producerName: 'cothink', opsetImport: [{ domain: '', version: opset }] },
      graph: {
        ...{ name, node: this.#nodes, input: this.#inputs, output: this.#outputs },
        initializer: [...this.#constants.values(), ...stored],
      },
    }).finish();
  }
}

function attributeOf(value: Attribute): onnx.IAttributeProto {
  if (typeof value === 'number') return { type: AttributeType.INT, i: value };
  return 'real' in value
    ? { type: AttributeType.FLOAT, f: value.real }
    : { type: AttributeType.INTS, ints: [...value] };
}

function valueInfo(name: string, type: ValueType, sizes: Sizes): onnx.IValueInfoProto {
  const dim = sizes.map((size) => (typeof size === 'number' ? { dimValue: size } : { dimParam: size }));
  return { name, type: { tensorType: { elemType: types[type], shape: { dim } } } };
}

/** Writes the Python client's models, parameter types, and resources. */
import {
  type Answer,
  type Document,
  type Field,
  groupsOf,
  nameOfRef,
  type Operation,
  pascalOf,
  resolve,
  type Schema,
  snakeOf
} from "./document.ts"
import { header } from "./typescript.ts"

const keywords = new Set([
  "from",
  "import",
  "global",
  "class",
  "def",
  "is",
  "in",
  "if",
  "else",
  "for",
  "async",
  "await",
  "not",
  "and",
  "or",
  "with",
  "pass",
  "return",
  "lambda",
  "None",
  "True",
  "False"
])
/** Attributes of a pydantic model, and types of annotations, that a field must not hide. */
const hidden = new Set([
  "copy",
  "json",
  "schema",
  "dict",
  "validate",
  "construct",
  "register",
  "list",
  "str",
  "int",
  "float",
  "bool",
  "bytes",
  "self"
])
const isIdentifier = /^[A-Za-z_]\w*$/u

const nameOf = (wire: string): string => {
  const name = isIdentifier.test(wire) ? wire : wire.replaceAll(/\W/gu, "_")
  return keywords.has(name) || hidden.has(name) ? `${name}_` : name
}

const methodName = (name: string): string => keywords.has(snakeOf(name)) ? `${snakeOf(name)}_` : snakeOf(name)

const literal = (values: ReadonlyArray<string | boolean>): string =>
  `Literal[${
    values.map((value) => typeof value === "boolean" ? value ? "True" : "False" : JSON.stringify(value)).join(", ")
  }]`

const union = (members: ReadonlyArray<string>): string => {
  const different = [...new Set(members)]
  return different.length === 1 ? different[0]! : `Union[${different.join(", ")}]`
}

const isObject = (schema: Schema, schemas: Document["schemas"]): boolean =>
  resolve(schema, schemas).properties !== undefined

/** Collects classes while types are written: an inline object becomes a class named after its place. */
interface Writer {
  readonly schemas: Document["schemas"]
  readonly classes: Map<string, string>
  /** Types of requests are `TypedDict`s with exact values; those of answers are models that accept more. */
  readonly isInput: boolean
  /** Qualifies the names of classes. */
  readonly qualify: (name: string) => string
}

const typeOf = (schema: Schema, place: string, writer: Writer): string => {
  const { isInput, schemas } = writer
  if (schema.$ref !== undefined) {
    const name = nameOfRef(schema.$ref)
    writeSchema(name, writer)
    return writer.qualify(name)
  }
  if (schema.anyOf !== undefined) {
    const members = schema.anyOf.map((member, at) => typeOf(member, at === 0 ? place : `${place}${at + 1}`, writer))
    const objects = schema.anyOf.filter((member) => isObject(member, schemas))
    // A model is chosen by its required fields and by the values that tell it apart; a newer one stays a dictionary.
    if (!isInput && objects.length > 1) {
      return `Annotated[${union([...members, "Dict[str, Any]"])}, Field(union_mode="left_to_right")]`
    }
    return union(members)
  }
  if (schema.enum !== undefined) {
    const values = literal(schema.enum)
    return isInput || schema.enum.length === 1 || schema.type !== "string" ? values : `Union[${values}, str]`
  }
  switch (schema.type) {
    case "string":
      return "str"
    case "integer":
      return "int"
    case "number":
      return "float"
    case "boolean":
      return "bool"
    case "null":
      return "None"
    case "array": {
      const item = schema.items === undefined ? "Any" : typeOf(schema.items, `${place}Item`, writer)
      return isInput ? `Sequence[${item}]` : `List[${item}]`
    }
    case "object": {
      if (schema.properties !== undefined && Object.keys(schema.properties).length > 0) {
        writeClass(place, schema, writer)
        return writer.qualify(place)
      }
      const { additionalProperties, patternProperties } = schema
      const values = [
        ...typeof additionalProperties === "object" ? [additionalProperties] : [],
        ...Object.values(patternProperties ?? {})
      ].map((value) => typeOf(value, `${place}Value`, writer))
      const of = values.length === 0 ? "Any" : union(values)
      return isInput ? `Mapping[str, ${of}]` : `Dict[str, ${of}]`
    }
    default:
      return "Any"
  }
}

const writeClass = (name: string, schema: Schema, writer: Writer): void => {
  if (writer.classes.has(name)) return
  writer.classes.set(name, "")
  const { properties = {}, required = [] } = schema
  const fields = Object.entries(properties).map(([wire, field]) => ({
    wire,
    type: typeOf(field, `${name}${pascalOf(wire)}`, { ...writer, qualify: (name) => name }),
    isRequired: required.includes(wire)
  }))
  writer.classes.set(name, writer.isInput ? typedDict(name, fields) : model(name, fields))
}

interface PythonField {
  readonly wire: string
  readonly type: string
  readonly isRequired: boolean
}

const model = (name: string, fields: ReadonlyArray<PythonField>): string =>
  [
    `class ${name}(HubModel):`,
    ...fields.map(({ isRequired, type, wire }) => {
      const field = nameOf(wire)
      const annotation = isRequired ? type : `Optional[${type}]`
      if (field === wire) return `    ${field}: ${annotation}${isRequired ? "" : " = None"}`
      return `    ${field}: ${annotation} = Field(${isRequired ? "" : "default=None, "}alias=${JSON.stringify(wire)})`
    })
  ].join("\n")

const typedDict = (name: string, fields: ReadonlyArray<PythonField>): string => {
  const typed = fields.map(({ isRequired, type, wire }) => [wire, isRequired ? type : `NotRequired[${type}]`] as const)
  return fields.every(({ wire }) => isIdentifier.test(wire) && nameOf(wire) === wire)
    ? [`class ${name}(TypedDict):`, ...typed.map(([wire, type]) => `    ${wire}: ${type}`)].join("\n")
    : [
      `${name} = TypedDict(`,
      `    ${JSON.stringify(name)},`,
      "    {",
      ...typed.map(([wire, type]) => `        ${JSON.stringify(wire)}: ${quoted(type)},`),
      "    },",
      ")"
    ].join("\n")
}

/** The functional form evaluates its types at once, so a name of a later class is a string. */
const quoted = (type: string): string =>
  type.startsWith("NotRequired[") ? `NotRequired[${JSON.stringify(type.slice(12, -1))}]` : JSON.stringify(type)

const writeSchema = (name: string, writer: Writer): void => {
  if (writer.classes.has(name)) return
  const schema = writer.schemas[name]!
  if (schema.properties !== undefined) return writeClass(name, schema, writer)
  writeAlias(name, schema, writer)
}

/** The name of a union or of another type without fields. */
const writeAlias = (name: string, schema: Schema, writer: Writer): void => {
  writer.classes.set(name, "")
  writer.classes.set(name, `${name} = ${typeOf(schema, `${name}Option`, { ...writer, qualify: (name) => name })}`)
}

const kindOfAnswer = (operation: Operation, writer: Writer): { readonly type: string; readonly decode: string } => {
  const { answer, group, name } = operation
  const place = `${pascalOf(group)}${pascalOf(snakeOf(name))}Answer`
  switch (answer.kind) {
    case "json": {
      if (answer.schema.anyOf !== undefined) writeAlias(place, answer.schema, writer)
      const type = answer.schema.anyOf === undefined ? typeOf(answer.schema, place, writer) : writer.qualify(place)
      return { type, decode: `lambda: ${type}` }
    }
    case "page": {
      const item = typeOf(answer.item, `${place}Item`, writer)
      const body = answer.isPlain ? `ListBody[${item}]` : typeOf(answer.schema, place, writer)
      return { type: `[${item}, ${body}]`, decode: `lambda: ${body}` }
    }
    case "none":
      return { type: "None", decode: "" }
    case "text":
      return { type: "str", decode: "" }
    case "bytes":
      return { type: "bytes", decode: "" }
    case "events":
      return { type: "", decode: "" }
    case "turn":
      return { type: "", decode: "" }
  }
}

const returnType = (kind: Answer["kind"], type: string, isAsync: boolean): string => {
  switch (kind) {
    case "page":
      return isAsync ? `AsyncPages${type}` : `Page${type}`
    case "events":
      return isAsync ? "AsyncEventStream" : "EventStream"
    case "turn":
      return isAsync ? "AsyncChatTurn" : "ChatTurn"
    default:
      return type
  }
}

const optionsOf = ({ takesIdempotencyKey, takesTestOutcome }: Operation, fields: ReadonlyArray<Field>): string => {
  if (fields.some(({ name }) => name === "workspace")) return "BaseOptions"
  return takesTestOutcome ? "DispatchOptions" : takesIdempotencyKey ? "KeyedOptions" : "CallOptions"
}

const dictionary = (fields: ReadonlyArray<Field>): string =>
  `{${fields.map(({ name }) => `${JSON.stringify(name)}: ${nameOf(name)}`).join(", ")}}`

const methodOf = (operation: Operation, models: Writer, params: Writer, isAsync: boolean): string => {
  const { answer, body, group, method, name, path, pathParameters, query, summary, takesBytes, takesIdempotencyKey } =
    operation
  const place = `${pascalOf(group)}${pascalOf(snakeOf(name))}`
  const fields = [...query, ...body ?? []]
  const named = fields.toSorted((left, right) => Number(right.isRequired) - Number(left.isRequired)).map((field) => {
    const type = typeOf(field.schema, `${place}${pascalOf(field.name)}`, params)
    return field.isRequired ? `${nameOf(field.name)}: ${type}` : `${nameOf(field.name)}: Given[${type}] = OMIT`
  })
  /** Positional, so another name than the path's changes nothing for a caller. */
  const positionName = (parameter: string): string =>
    fields.some(({ name }) => nameOf(name) === snakeOf(parameter))
      ? `${snakeOf(parameter)}_in_path`
      : snakeOf(parameter)
  const positional = [
    ...pathParameters.map((parameter) => `${positionName(parameter)}: str`),
    ...takesBytes ? ["data: bytes"] : []
  ]
  const { decode, type } = kindOfAnswer(operation, models)
  const signature = [
    "self",
    ...positional,
    ...positional.length > 0 ? ["/"] : [],
    ...named.length > 0 ? ["*", ...named] : [],
    `**call_options: Unpack[${optionsOf(operation, fields)}]`
  ]
  const isSimple = ["json", "none", "text", "bytes"].includes(answer.kind)
  const call: Readonly<Record<Answer["kind"], string>> = {
    json: "_json",
    page: "_page",
    none: "_none",
    text: "_text",
    bytes: "_bytes",
    events: "_events",
    turn: "_turn"
  }
  const address = path.replaceAll(/\{(\w+)\}/gu, (_, name: string) => `{quote(${positionName(name)})}`)
  const args = [
    JSON.stringify(method),
    `${address === path ? "" : "f"}"${address}"`,
    ...decode === "" ? [] : [decode],
    "call_options",
    ...query.length === 0 ? [] : [`query=${dictionary(query)}`],
    ...body === undefined ? [] : [`body=${dictionary(body)}`],
    ...takesBytes ? ["data=data"] : [],
    ...takesIdempotencyKey ? ["keyed=True"] : []
  ]
  const returned = returnType(answer.kind, type, isAsync)
  return [
    `    ${isAsync && isSimple ? "async " : ""}def ${methodName(name)}(`,
    ...signature.map((part) => `        ${part},`),
    `    ) -> ${returned}:`,
    `        """${summary}."""`,
    // An answer has the type of its model, which the shared reader does not know.
    `        ${answer.kind === "json" ? `_answer: ${returned} =` : "return"} ${
      isAsync && isSimple ? "await " : ""
    }self.${call[answer.kind]}(`,
    ...args.map((arg) => `            ${arg},`),
    "        )",
    ...answer.kind === "json" ? ["        return _answer"] : []
  ].join("\n")
}

const moduleHeader = `# ${header}`

export interface PythonFiles {
  readonly [file: string]: string
}

/** Names that a module uses, of those that may be imported. */
const used = (text: string, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.filter((name) => new RegExp(`\\b${name}\\b`, "u").test(text))

const importOf = (module: string, text: string, names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const needed = used(text, names)
  return needed.length === 0 ? [] : [`from ${module} import ${needed.join(", ")}`]
}

export const pythonFiles = (document: Document): PythonFiles => {
  const { schemas } = document
  const models: Writer = { schemas, classes: new Map(), isInput: false, qualify: (name) => `m.${name}` }
  const params: Writer = { schemas, classes: new Map(), isInput: true, qualify: (name) => `p.${name}` }
  const groups = [...groupsOf(document)]
  const files: Record<string, string> = {}
  for (const [group, operations] of groups) {
    const classes = [false, true].map((isAsync) =>
      [
        `class ${isAsync ? "Async" : ""}${pascalOf(group)}(${isAsync ? "AsyncResource" : "Resource"}):`,
        operations.map((operation) => methodOf(operation, models, params, isAsync)).join("\n\n")
      ].join("\n")
    )
    const text = classes.join("\n\n\n")
    files[`resources/${group}.py`] = [
      moduleHeader,
      "from __future__ import annotations",
      "",
      ...importOf("typing", text, ["Any", "Dict", "List", "Literal", "Mapping", "Optional", "Sequence", "Union"]),
      "",
      "from typing_extensions import Unpack",
      "",
      ...text.includes(" m.") || text.includes("[m.") ? ["from .. import models as m"] : [],
      ...text.includes("p.") ? ["from .. import params as p"] : [],
      ...importOf("..chat", text, ["AsyncChatTurn", "ChatTurn"]),
      ...importOf("..events", text, ["AsyncEventStream", "EventStream"]),
      ...importOf("..pages", text, ["AsyncPages", "ListBody", "Page"]),
      ...importOf(".._options", text, [
        "OMIT",
        "BaseOptions",
        "CallOptions",
        "DispatchOptions",
        "Given",
        "KeyedOptions"
      ]),
      ...importOf(".._resource", text, ["AsyncResource", "Resource", "quote"]),
      "",
      "",
      text,
      ""
    ].join("\n")
  }
  const modelText = [...models.classes.values()].filter((text) => text !== "").join("\n\n\n")
  files["models.py"] = [
    moduleHeader,
    `"""The hub's answers. Fields that a newer hub adds are kept."""`,
    "from __future__ import annotations",
    "",
    ...importOf("typing", modelText, ["Any", "Dict", "List", "Literal", "Optional", "Union"]),
    "",
    "from pydantic import Field",
    "from typing_extensions import Annotated",
    "",
    "from ._model import HubModel",
    "",
    "",
    ordered(models.classes).join("\n\n\n"),
    ""
  ].join("\n")
  const paramText = [...params.classes.values()].join("\n")
  files["params.py"] = [
    moduleHeader,
    `"""The types of objects in requests: dictionaries with these keys."""`,
    "from __future__ import annotations",
    "",
    ...importOf("typing", paramText, ["Any", "Literal", "Mapping", "Sequence", "Union"]),
    "",
    ...importOf("typing_extensions", paramText, ["NotRequired", "TypedDict"]),
    "",
    "",
    ordered(params.classes).join("\n\n\n"),
    ""
  ].join("\n")
  files["_resources.py"] = resourcesModule(groups.map(([group]) => group))
  files["resources/__init__.py"] = `${moduleHeader}\n`
  return files
}

/** Classes by name, then the aliases of unions, each after those that it names: they are evaluated at once. */
const ordered = (classes: ReadonlyMap<string, string>): ReadonlyArray<string> => {
  const sorted = [...classes].toSorted(([left], [right]) => left < right ? -1 : 1)
  const isClass = (text: string) => text.startsWith("class ")
  const aliases = new Map(sorted.filter(([, text]) => !isClass(text)))
  const written: Array<string> = []
  const write = (name: string): void => {
    const text = aliases.get(name)
    if (text === undefined) return
    aliases.delete(name)
    for (const other of [...aliases.keys()].filter((other) => new RegExp(`\\b${other}\\b`, "u").test(text))) {
      write(other)
    }
    written.push(text)
  }
  for (const [name] of sorted) write(name)
  return [...sorted.filter(([, text]) => isClass(text)).map(([, text]) => text), ...written]
}

const resourcesModule = (groups: ReadonlyArray<string>): string => {
  const mixin = (isAsync: boolean) => {
    const prefix = isAsync ? "Async" : ""
    return [
      `class ${prefix}Resources:`,
      `    _core: ${prefix}Core`,
      ...groups.flatMap((group) => [
        "",
        "    @cached_property",
        `    def ${group}(self) -> _${group}.${prefix}${pascalOf(group)}:`,
        `        from .resources.${group} import ${prefix}${pascalOf(group)}`,
        "",
        `        return ${prefix}${pascalOf(group)}(self._core)`
      ])
    ].join("\n")
  }
  return [
    moduleHeader,
    `"""The groups of endpoints; each module is imported at the first use of its group."""`,
    "from __future__ import annotations",
    "",
    "from functools import cached_property",
    "from typing import TYPE_CHECKING",
    "",
    "if TYPE_CHECKING:",
    ...groups.map((group) => `    from .resources import ${group} as _${group}`),
    "    from ._resource import AsyncCore, Core",
    "",
    "",
    mixin(false),
    "",
    "",
    mixin(true),
    ""
  ].join("\n")
}

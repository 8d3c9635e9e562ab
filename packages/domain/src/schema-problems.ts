/**
 * Problems of a value with a schema, in the words of the API: no name of a schema, a library, or one of its types, and
 * never a sent value. Spec: reference/conventions.md "Errors".
 */
import type { SchemaAST, SchemaIssue } from "effect"
import type { Detail } from "./errors.ts"
import { problemsMax } from "./json-schema-shape.ts"
import { dottedPath } from "./json.ts"
import { meantName } from "./similar-names.ts"
import { asSentence } from "./text.ts"

type Ast = SchemaAST.AST
type Path = ReadonlyArray<PropertyKey>

/** The most names in a message. */
const namesMax = 40
const idPrefix = /^[a-z]+_$/u

const alternatives = (words: ReadonlyArray<string>): string =>
  words.length < 2 ? words[0] ?? "a valid value" : `${words.slice(0, -1).join(", ")} or ${words.at(-1) ?? ""}`

const kindOf = (value: unknown): string | undefined => {
  if (value === undefined) return undefined
  if (value === null) return "null"
  if (Array.isArray(value)) return "an array"
  return { string: "a string", number: "a number", boolean: "a boolean", object: "an object" }[typeof value as string]
}

const valueAt = (root: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (value, step) =>
      typeof value === "object" && value !== null && Object.hasOwn(value, step)
        ? (value as Record<PropertyKey, unknown>)[step]
        : undefined,
    root
  )

const annotated = (node: { readonly annotations?: unknown }, name: "expected" | "message"): string | undefined => {
  const found = (node.annotations as Readonly<Record<string, unknown>> | undefined)?.[name]
  return typeof found === "string" ? found : undefined
}

const membersOf = (ast: Ast): ReadonlyArray<Ast> =>
  ast._tag === "Union" ? ast.types.flatMap(membersOf) : ast._tag === "Suspend" ? membersOf(ast.thunk()) : [ast]

const literalsOf = (members: ReadonlyArray<Ast>): ReadonlyArray<string> =>
  members.flatMap((member) => member._tag === "Literal" ? [JSON.stringify(member.literal)] : [])

/** The field whose literals distinguish the objects of a union, with its values: `type` of a price. */
const discriminatorOf = (ast: Ast): { readonly name: string; readonly values: ReadonlyArray<string> } | undefined => {
  const objects = membersOf(ast).flatMap((member) => member._tag === "Objects" ? [member] : [])
  if (objects.length < 2) return undefined
  for (const { name } of objects[0]?.propertySignatures ?? []) {
    const types = objects.map((each) => each.propertySignatures.find((property) => property.name === name)?.type)
    const values = types.flatMap((type) => type === undefined ? [] : literalsOf(membersOf(type)))
    if (values.length === objects.length && types.every((type) => type !== undefined)) {
      return { name: String(name), values }
    }
  }
  return undefined
}

const isWhole = (ast: Ast): boolean => (ast.checks ?? []).some((check) => annotated(check, "expected") === "an integer")

const startOf = (ast: SchemaAST.TemplateLiteral): string => {
  const [first] = ast.parts
  const start = first?._tag === "Literal" ? String(first.literal) : ""
  return start === ""
    ? "a string"
    : idPrefix.test(start)
    ? `an id that begins with ${start}`
    : `a string that begins with ${JSON.stringify(start)}`
}

const describeOne = (ast: Ast): string => {
  switch (ast._tag) {
    case "String":
      return annotated(ast, "expected") ?? "a string"
    case "Number":
      return isWhole(ast) ? "an integer" : "a number"
    case "Boolean":
      return "true or false"
    case "Null":
      return "null"
    case "Literal":
      return JSON.stringify(ast.literal)
    case "TemplateLiteral":
      return startOf(ast)
    case "Arrays":
      return "an array"
    case "Objects":
    case "ObjectKeyword":
      return "an object"
    default:
      return "a valid value"
  }
}

/** The values that a schema accepts, to complete "expected …". */
const describe = (ast: Ast): string => {
  const discriminator = discriminatorOf(ast)
  const members = membersOf(ast).filter(({ _tag }) => _tag !== "Undefined")
  const isText = members.some(({ _tag }) => _tag === "String")
  const words = [...new Set(members.filter(({ _tag }) => !isText || _tag !== "Literal").map(describeOne))].map((word) =>
    discriminator !== undefined && word === "an object"
      ? `an object with "${discriminator.name}": ${alternatives(discriminator.values)}`
      : word
  )
  return alternatives(words)
}

const kindsByTag: Readonly<Record<string, string>> = {
  String: "a string",
  TemplateLiteral: "a string",
  Number: "a number",
  Boolean: "a boolean",
  Null: "null",
  Arrays: "an array",
  Objects: "an object"
}

/** Whether a schema accepts values of this kind, if not this value. */
const takesKind = (ast: Ast, kind: string): boolean =>
  membersOf(ast).some((member) =>
    (member._tag === "Literal" ? kindOf(member.literal) : kindsByTag[member._tag]) === kind
  )

/** Amounts as fractions of a larger unit, or as text, are the most frequent mistakes. */
const inCents = (words: string, path: Path): string =>
  /(?:^|_)cents$/u.test(String(path.at(-1) ?? ""))
    ? words.replace(
      /an integer( or )?/u,
      (_, or?: string) => `a whole number of cents, such as 1250 for $12.50${or === undefined ? "" : ", or "}`
    )
    : words

/** The most choices that are listed in full beside the suggested one. */
const listedMax = 8

const meantLiteral = (value: string, ast: Ast): string | undefined => {
  const literals = membersOf(ast).flatMap((member) =>
    member._tag === "Literal" && typeof member.literal === "string" ? [member.literal] : []
  )
  const near = meantName(value, literals)
  if (near === undefined) return undefined
  return `expected ${literals.length > listedMax ? "one of the known values" : describe(ast)}; did you mean ${
    JSON.stringify(near)
  }?`
}

const counted = (count: string, what: string): string => `${count} ${what}${count === "1" ? "" : "s"}`

/** Rewrites the library's text for a limit. */
const limitWords = (expected: string, ast: Ast | undefined): string => {
  const what = ast?._tag === "Arrays" ? "item" : ast?._tag === "Objects" ? "field" : "character"
  const length = /^a value with a length of (at least|at most) (\d+)$/u.exec(expected)
  if (length !== null) return `${length[1]} ${counted(length[2] ?? "", what)}`
  const lengths = /^a value with a length (?:of|between) (\d+)(?: and (\d+))?$/u.exec(expected)
  if (lengths !== null) {
    return lengths[2] === undefined
      ? `exactly ${counted(lengths[1] ?? "", what)}`
      : `${lengths[1]} to ${counted(lengths[2], what)}`
  }
  if (expected === "an array with unique items") return "each item only once"
  const decoded = /^a string that will be decoded as (?:a finite )?(.*)$/u.exec(expected)
  if (decoded !== null) return decoded[1]?.startsWith("a") === true ? decoded[1] : `a ${decoded[1] ?? "string"}`
  return expected
    .replace(/^a value between (\S+) and (\S+)$/u, "a number from $1 to $2")
    .replace(/^a finite number$/u, "a number")
    .replace(/^a value less than or equal to /u, "a number of at most ")
    .replace(/^a value greater than or equal to /u, "a number of at least ")
    .replace(/^a value (?=less|greater)/u, "a number ")
    .replace(/ entr(y|ies)$/u, (_, one: string) => one === "y" ? " field" : " fields")
    .replace(/^a string with at (least|most) (\d+) code points$/u, "at $1 $2 characters")
}

const invalidWords = (expected: string | undefined, around: Ast | undefined): string =>
  expected !== undefined ? limitWords(expected, around) : around === undefined ? "a valid value" : describe(around)

const patternOf = (ast: SchemaAST.Objects): string | undefined => {
  const checks = ast.indexSignatures.flatMap(({ parameter }) => parameter.checks ?? [])
  return checks.map((check) => annotated(check, "message")).find((message) => message !== undefined)
}

const unknownField = (ast: Ast | undefined, name: string): string => {
  if (ast?._tag !== "Objects") return "unknown field"
  const pattern = patternOf(ast)
  if (ast.propertySignatures.length === 0 && ast.indexSignatures.length > 0) {
    return pattern === undefined ? "this name is not allowed here" : `this name is not allowed here: ${pattern}`
  }
  const names = ast.propertySignatures.map((property) => String(property.name))
  const near = meantName(name, names)
  if (near !== undefined) return `unknown field; did you mean ${near}?`
  return names.length === 0 || names.length > namesMax
    ? "unknown field"
    : `unknown field; expected one of ${names.join(", ")}`
}

/**
 * Removes problems that follow from another one: further checks of a value that is not a number, members of one that
 * matches no form.
 */
const distinct = (problems: ReadonlyArray<Detail>): ReadonlyArray<Detail> =>
  problems.filter(({ path }, at) =>
    !problems.slice(0, at).some((one) => one.path === path || one.path !== "" && path.startsWith(`${one.path}.`))
  )

/**
 * The problems of a query: its parameters are text, so each has at most one problem. `repeated` are names that were
 * sent more than once.
 */
export const queryProblemsOf = (
  issue: SchemaIssue.Issue,
  repeated: ReadonlySet<string> = new Set()
): ReadonlyArray<Detail> =>
  distinct(
    problemsOf(issue).map(({ message, path }) => {
      const [name = ""] = path.split(".")
      const isUnknown = message.startsWith("unknown field")
      if (repeated.has(name) && !isUnknown) return { path: name, message: "given more than once; send it once" }
      return { path, message: isUnknown ? message.replace("unknown field", "unknown query parameter") : message }
    })
  )

/**
 * The first problems, at most `problemsMax`, each with its path. `root` is the sent value: messages show only the kinds
 * of values in it.
 */
export const problemsOf = (issue: SchemaIssue.Issue, root?: unknown): ReadonlyArray<Detail> => {
  const found = new Map<string, Detail>()
  const add = (path: Path, message: string): void => {
    const at = path.length === 0 ? "" : dottedPath(...path.map(String))
    found.set(`${at}\n${message}`, { path: at, message })
  }
  const expected = (path: Path, ast: Ast): void => {
    const value = valueAt(root, path)
    const kind = kindOf(value)
    const meant = typeof value === "string" ? meantLiteral(value, ast) : undefined
    if (meant !== undefined) return add(path, meant)
    add(
      path,
      `expected ${inCents(describe(ast), path)}${kind === undefined || takesKind(ast, kind) ? "" : `, not ${kind}`}`
    )
  }
  const noMember = (ast: Ast, path: Path): void => {
    const discriminator = discriminatorOf(ast)
    const value = valueAt(root, path)
    if (discriminator === undefined || kindOf(value) !== "an object") return expected(path, ast)
    const wanted = `expected ${alternatives(discriminator.values)}`
    add(
      [...path, discriminator.name],
      Object.hasOwn(value as object, discriminator.name) ? wanted : `required: ${wanted}`
    )
  }
  const walk = (one: SchemaIssue.Issue, path: Path, around: Ast | undefined): void => {
    if (found.size === problemsMax) return
    switch (one._tag) {
      case "Pointer":
        return walk(one.issue, [...path, ...one.path], undefined)
      case "Filter":
        return refused(one, path, around)
      case "Encoding":
        return around?._tag === "TemplateLiteral" ? expected(path, around) : walk(one.issue, path, one.ast)
      case "Composite":
        return one.issues.forEach((each) => walk(each, path, one.ast))
      case "AnyOf":
        return one.issues.length === 0
          ? noMember(one.ast, path)
          : one.issues.forEach((each) => walk(each, path, around))
      case "MissingKey":
        return add(path, annotated(one, "message") ?? "required")
      case "UnexpectedKey":
        return add(path, unknownField(around ?? one.ast, String(path.at(-1) ?? "")))
      case "InvalidType":
        return expected(path, one.ast)
      case "InvalidValue":
        return add(path, annotated(one, "message") ?? `expected ${invalidWords(annotated(one, "expected"), around)}`)
      default:
        return add(path, "expected a valid value")
    }
  }
  const refused = (one: SchemaIssue.Filter, path: Path, around: Ast | undefined): void => {
    const message = annotated(one.filter, "message") ??
      (one.issue._tag === "InvalidValue" ? annotated(one.issue, "message") : undefined)
    if (message !== undefined) return add(path, message)
    if (one.issue._tag !== "InvalidValue") return walk(one.issue, path, around)
    const words = annotated(one.issue, "expected") ?? annotated(one.filter, "expected")
    add(path, `expected ${words === undefined ? "a valid value" : inCents(limitWords(words, around), path)}`)
  }
  walk(issue, [], undefined)
  return [...found.values()]
}

/** The problems as one sentence: the only one, or the first with the total count. */
export const problemsSentence = (what: string, problems: ReadonlyArray<Detail>): string => {
  const [first] = problems
  if (first === undefined) return `${what} is not valid.`
  const { message, path } = first
  const text = `${what} is not valid${path === "" ? "" : ` at ${path}`}: ${asSentence(message)}`
  if (problems.length === 1) return text
  return problems.length < problemsMax
    ? `${text} There are ${problems.length} problems; details lists them.`
    : `${text} There are ${problemsMax} problems or more; details lists the first ${problemsMax}.`
}

/**
 * The `${…}` templates of workflows and triggers. Spec: reference/workflows.md "Templates".
 *
 * A text that is a single reference keeps the JSON type of its value; inside other text the value becomes text. A value
 * that was filled in is not parsed again. References follow own members only.
 */
import { Result } from "effect"
import type { Detail } from "./errors.ts"
import { dottedPath, type Json, jsonDepthMax } from "./json.ts"
import { resolvePointer } from "./pointer.ts"
import { meantName, similarNames } from "./similar-names.ts"

/** Length of one template text, in characters. */
export const templateTextMax = 65_536
/** The most references of one template text; a template has any number of texts. */
export const textReferencesMax = 100
/**
 * A lower bound of the JSON characters that one rendering may make: each reference may repeat a large value. A caller
 * checks the exact bytes.
 */
export const renderedCharactersMax = 262_144

export interface Reference {
  /** As written, without braces and `?`. */
  readonly source: string
  /** The root, then the members: `["steps", "Search", "output", "items", "0"]`. */
  readonly path: ReadonlyArray<string>
  /** Written with `?`: a missing value is left out. */
  readonly optional: boolean
}

export type Part = string | Reference

type Read = { readonly reference: Reference; readonly end: number } | { readonly problem: string }

const rootPattern = /[A-Za-z_][A-Za-z0-9_]*/uy
const memberPattern = /\.([^\s.{}[\]"'?\\]+)/uy
const quotedPattern = /\[("(?:[^"\\]|\\.)*")\]/suy

const matchAt = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at
  return pattern.exec(text)
}

const unescaped = (quoted: string): string | undefined => {
  try {
    return JSON.parse(quoted) as string
  } catch {
    return undefined
  }
}

/** Reads the reference whose `${` ends at `start`. */
const readReference = (text: string, start: number): Read => {
  const root = matchAt(rootPattern, text, start)
  if (root === null) return { problem: syntaxProblem(text, start) }
  const path = [root[0]]
  let at = start + root[0].length
  for (;;) {
    const member = matchAt(memberPattern, text, at)
    const quoted = member === null ? matchAt(quotedPattern, text, at) : null
    const name = member?.[1] ?? (quoted === null ? undefined : unescaped(quoted[1] ?? ""))
    if (name === undefined) break
    path.push(name)
    at += (member ?? quoted)![0].length
  }
  const source = text.slice(start, at)
  const optional = text.charAt(at) === "?"
  if (optional) at++
  if (text.charAt(at) !== "}") return { problem: syntaxProblem(text, start) }
  return { reference: { source, path, optional }, end: at + 1 }
}

const syntaxProblem = (text: string, start: number): string => {
  const end = text.indexOf("}", start)
  if (end === -1) return "A reference is not closed. Write ${input.name}, or \\${ for the two characters."
  const written = dottedPath(text.slice(start, end))
  const reason = written === ""
    ? "A reference is empty."
    : /\s/u.test(written) && !written.includes("\"")
    ? `\${${written}} contains blanks.`
    : /\[\d+\]/u.test(written)
    ? `\${${written}} is not a reference. An item of a list is written .0.`
    : `\${${written}} is not a reference.`
  return `${reason} Write \${input.name}, \${input["any name"]}, or \\\${ for the two characters.`
}

/** The literal texts and references of one text, in order. Fails with the first problem. */
export const parseText = (text: string): Result.Result<ReadonlyArray<Part>, string> => {
  if (text.length > templateTextMax) return Result.fail(`A template can have at most ${templateTextMax} characters.`)
  const parts: Array<Part> = []
  let literal = ""
  let references = 0
  let at = 0
  for (;;) {
    const open = text.indexOf("${", at)
    if (open === -1) break
    if (open > at && text.charAt(open - 1) === "\\") {
      literal += `${text.slice(at, open - 1)}\${`
      at = open + 2
      continue
    }
    literal += text.slice(at, open)
    const read = readReference(text, open + 2)
    if ("problem" in read) return Result.fail(read.problem)
    if (++references > textReferencesMax) {
      return Result.fail(`A template can have at most ${textReferencesMax} references.`)
    }
    if (literal !== "") parts.push(literal)
    literal = ""
    parts.push(read.reference)
    at = read.end
  }
  literal += text.slice(at)
  if (literal !== "") parts.push(literal)
  return Result.succeed(parts)
}

/** The reference that a whole text consists of. */
export const loneReference = (text: string): Reference | undefined => {
  const parsed = parseText(text)
  if (Result.isFailure(parsed) || parsed.success.length !== 1) return undefined
  const [part] = parsed.success
  return typeof part === "object" ? part : undefined
}

/** A reference, and the dotted path of the text that contains it. */
export interface PlacedReference {
  readonly at: string
  readonly reference: Reference
}

/** Every reference of a template, and every text that is none; paths begin with `at`. Names of members are literal. */
export const referencesOf = (
  template: unknown,
  at: string
): { readonly references: ReadonlyArray<PlacedReference>; readonly problems: ReadonlyArray<Detail> } => {
  const references: Array<PlacedReference> = []
  const problems: Array<Detail> = []
  const walk = (value: unknown, path: string, depth: number): void => {
    if (typeof value === "string") {
      const parsed = parseText(value)
      if (Result.isFailure(parsed)) problems.push({ path, message: parsed.failure })
      else {for (const part of parsed.success) {
          if (typeof part === "object") references.push({ at: path, reference: part })
        }}
    } else if (typeof value === "object" && value !== null) {
      if (depth > jsonDepthMax) {
        problems.push({ path, message: `A template can be nested at most ${jsonDepthMax} levels deep.` })
        return
      }
      for (const name of Object.keys(value)) {
        walk((value as Record<string, unknown>)[name], dottedPath(path, name), depth + 1)
      }
    }
  }
  walk(template, at, 1)
  return { references, problems }
}

/** What a template may refer to. */
export interface TemplateRoots {
  /** Roots whose members are not known in advance. */
  readonly open: ReadonlyArray<string>
  /** Roots with known members; empty: the root has none. */
  readonly closed: Readonly<Record<string, ReadonlyArray<string>>>
  /** Labels of the steps that have ended when the template is filled in; absent: no `steps`. */
  readonly steps?: {
    readonly before: ReadonlySet<string>
    readonly all: ReadonlySet<string>
  }
}

export const stepMembers = ["output", "status", "error"] as const

/** Of templates in a workflow's steps and its output. */
export const workflowRoots = (
  steps: NonNullable<TemplateRoots["steps"]>,
  options: { readonly callback?: boolean } = {}
): TemplateRoots => ({
  open: ["input"],
  closed: { run: ["id", "created_at"], ...(options.callback === true ? { callback_url: [] } : {}) },
  steps
})

/** Of the payload template of a trigger. */
export const triggerRoots: TemplateRoots = { open: ["body", "headers", "query", "delivery"], closed: {} }

const shown = (reference: Reference): string => `\${${dottedPath(reference.source)}}`

const rootNames = ({ closed, open, steps }: TemplateRoots): ReadonlyArray<string> => [
  ...open,
  ...(steps === undefined ? [] : ["steps"]),
  ...Object.keys(closed)
]

const knownForms = ({ closed, open, steps }: TemplateRoots): string => {
  const forms = [
    ...open.map((root) => `\${${root}.name}`),
    ...(steps === undefined ? [] : ["${steps.Label.output}"]),
    ...Object.entries(closed).map(([root, members]) =>
      members[0] === undefined ? `\${${root}}` : `\${${root}.${members[0]}}`
    )
  ]
  return forms.length < 2 ? forms.join("") : `${forms.slice(0, -1).join(", ")}, or ${forms.at(-1) ?? ""}`
}

/** Why a step cannot be referred to; undefined when it can. Conditions have the same rule. */
export const labelProblem = (label: string, steps: NonNullable<TemplateRoots["steps"]>): string | undefined => {
  if (steps.before.has(label)) return undefined
  if (steps.all.has(label)) return `The step ${label} cannot have run before. Connect it with an edge first.`
  const [near] = similarNames(label, [...steps.all])
  return `There is no step ${dottedPath(label)}.${near === undefined ? "" : ` Did you mean ${near}?`}`
}

/** Why a reference cannot be filled in; undefined when it can. */
export const referenceProblem = (reference: Reference, roots: TemplateRoots): string | undefined => {
  const [root = "", first, second] = reference.path
  if (roots.open.includes(root)) return undefined
  if (root === "steps" && roots.steps !== undefined) {
    if (first === undefined) return `${shown(reference)} names no step. Write \${steps.Label.output}.`
    const label = labelProblem(first, roots.steps)
    if (label !== undefined) return `${shown(reference)} is unknown here. ${label}`
    return second !== undefined && (stepMembers as ReadonlyArray<string>).includes(second)
      ? undefined
      : `${shown(reference)} is unknown here. A step has ${
        stepMembers.map((member) => `.${member}`).join(", ")
      }: write \${steps.${first}.output}.`
  }
  const members = Object.hasOwn(roots.closed, root) ? roots.closed[root] : undefined
  if (members !== undefined) {
    if (members.length === 0 ? first === undefined : first !== undefined && members.includes(first)) return undefined
    return `${shown(reference)} is unknown here. Use ${
      members.length === 0 ? `\${${root}}` : members.map((member) => `\${${root}.${member}}`).join(" or ")
    }.`
  }
  const meant = roots.steps?.all.has(root) === true
    ? `steps.${root}.output`
    : meantName(root, rootNames(roots))
  return `${shown(reference)} is unknown here.${meant === undefined ? "" : ` Did you mean \${${meant}}?`} Use ${
    knownForms(roots)
  }.`
}

/** All problems that prevent a template from being saved, paths beginning with `at`. */
export const templateProblems = (template: unknown, at: string, roots: TemplateRoots): ReadonlyArray<Detail> => {
  const { problems, references } = referencesOf(template, at)
  return [
    ...problems,
    ...references.flatMap(({ at: path, reference }) => {
      const message = referenceProblem(reference, roots)
      return message === undefined ? [] : [{ path, message }]
    })
  ]
}

/** Stops a rendering that has grown too large. */
class TooLarge extends Error {}

class Rendering {
  readonly problems: Array<Detail> = []
  readonly #scope: Readonly<Record<string, unknown>>
  #left: number

  constructor(scope: Readonly<Record<string, unknown>>, characters: number) {
    this.#scope = scope
    this.#left = characters
  }

  /** The value of a template below `path`; undefined when it is left out. */
  value(template: unknown, path: string, depth: number): Json | undefined {
    if (typeof template === "string") return this.#text(template, path, depth)
    if (typeof template !== "object" || template === null) {
      this.#spend(1)
      return template as Json
    }
    if (depth > jsonDepthMax) return this.#refuse(path, `This would be nested deeper than ${jsonDepthMax} levels.`)
    this.#spend(2)
    if (Array.isArray(template)) {
      return template.map((item, index) => this.value(item, dottedPath(path, index), depth + 1))
        .filter((item) => item !== undefined)
    }
    const members: Array<readonly [string, Json]> = []
    for (const name of Object.keys(template)) {
      this.#spend(name.length + 3)
      const value = this.value((template as Record<string, unknown>)[name], dottedPath(path, name), depth + 1)
      if (value !== undefined) members.push([name, value])
    }
    return Object.fromEntries(members)
  }

  #text(template: string, path: string, depth: number): Json | undefined {
    const parsed = parseText(template)
    if (Result.isFailure(parsed)) return this.#refuse(path, parsed.failure)
    const [part] = parsed.success
    if (parsed.success.length === 1 && typeof part === "object") {
      const value = this.#resolve(part, path)
      if (value !== undefined && levels(value) + depth - 1 > jsonDepthMax) {
        return this.#refuse(path, `This would be nested deeper than ${jsonDepthMax} levels.`)
      }
      this.#spend(size(value, this.#left))
      return value
    }
    let text = ""
    for (const one of parsed.success) {
      const added = typeof one === "string" ? one : asText(this.#resolve(one, path))
      this.#spend(added.length)
      text += added
    }
    return text
  }

  #resolve(reference: Reference, path: string): Json | undefined {
    const resolved = resolvePointer(this.#scope, reference.path)
    // Values are JSON: a member that is undefined does not exist.
    if (resolved.found && resolved.value !== undefined) return resolved.value as Json
    if (!reference.optional) this.#refuse(path, `${shown(reference)} has no value.`)
    return undefined
  }

  #refuse(path: string, message: string): undefined {
    if (!this.problems.some((one) => one.path === path && one.message === message)) {
      this.problems.push({ path, message })
    }
    return undefined
  }

  #spend(characters: number): void {
    this.#left -= characters
    if (this.#left < 0) throw new TooLarge()
  }
}

/** A value as text inside other text: strings unchanged, null and missing values as nothing, the rest as JSON. */
const asText = (value: Json | undefined): string => {
  if (typeof value === "string") return value
  return value === undefined || value === null ? "" : JSON.stringify(value)
}

/** A lower bound of the characters of a value's JSON; stops counting above `enough`. */
const size = (value: Json | undefined, enough: number): number => {
  if (typeof value === "string") return value.length + 2
  if (typeof value !== "object" || value === null) return 1
  let total = 2
  for (const name of Object.keys(value)) {
    if (total > enough) return total
    const member = (value as Readonly<Record<string, Json>>)[name]
    total += (Array.isArray(value) ? 1 : name.length + 3) + size(member, enough - total)
  }
  return total
}

/** Levels of objects and arrays; stops above the maximum. */
const levels = (value: Json, above = 0): number => {
  if (typeof value !== "object" || value === null || above > jsonDepthMax) return above
  let deepest = above + 1
  for (const name of Object.keys(value)) {
    deepest = Math.max(deepest, levels((value as Readonly<Record<string, Json>>)[name] ?? null, above + 1))
  }
  return deepest
}

export interface Rendered {
  /** Undefined when the whole template is one optional reference without a value. */
  readonly value: Json | undefined
}

/**
 * Fills in a template. `scope` has the roots as members: `{ input, steps: { Label: { status, output?, error? } }, run }`.
 * Fails with every reference that has no value, paths beginning with `at`.
 *
 * A missing value of an optional reference is left out: the member or item, or nothing inside of text. Null is a value:
 * alone it stays null, inside of text it is empty.
 */
export const renderTemplate = (
  template: unknown,
  scope: Readonly<Record<string, unknown>>,
  at = "",
  characters = renderedCharactersMax
): Result.Result<Rendered, ReadonlyArray<Detail>> => {
  const rendering = new Rendering(scope, characters)
  try {
    const value = rendering.value(template, at, 1)
    return rendering.problems.length > 0 ? Result.fail(rendering.problems) : Result.succeed({ value })
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error
    return Result.fail([{ path: at, message: `The filled-in value would have more than ${characters} characters.` }])
  }
}

/** Whether a template renders to the same value in any scope. */
export const isStatic = (template: unknown): boolean => {
  const { problems, references } = referencesOf(template, "")
  return problems.length === 0 && references.length === 0
}

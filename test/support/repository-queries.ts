/** The SQL that the hub's sources contain, statement by statement, with the tables that each one reads or changes. */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parseAst } from "rolldown/parseAst"

export interface Statement {
  /** From the root of the project, with the line: `apps/hub/src/agents/repository.ts:120`. */
  readonly place: string
  /** The statement's source, the fragments inside it included, with whitespace collapsed. */
  readonly text: string
  readonly tables: ReadonlyArray<string>
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string"

/** Template literals that are in no other one, and plain strings. */
const outermostTexts = (node: unknown, found: Array<Node>): void => {
  if (Array.isArray(node)) return node.forEach((each) => outermostTexts(each, found))
  if (!isNode(node)) return
  if (node.type === "TemplateLiteral" || node.type === "Literal") return void found.push(node)
  for (const value of Object.values(node)) if (typeof value === "object") outermostTexts(value, found)
}

const tableAfter = /\b(?:from|join|update|into)\s+(?:only\s+)?([a-z_]+)\b/g

export const statementsOf = (root: string): ReadonlyArray<Statement> =>
  globSync("apps/hub/src/**/*.ts", { cwd: root }).flatMap((file) => {
    const source = readFileSync(join(root, file), "utf8")
    const found: Array<Node> = []
    outermostTexts(parseAst(source, { lang: "ts" }).body, found)
    return found.flatMap(({ end, start }) => {
      const text = source.slice(start, end).replaceAll(/\s+/g, " ")
      const tables = [...new Set([...text.matchAll(tableAfter)].map(([, name]) => name!))]
      if (tables.length === 0) return []
      return [{ place: `${file.replaceAll("\\", "/")}:${source.slice(0, start).split("\n").length}`, text, tables }]
    })
  })

/** The tools of this computer as local tools of a chat: their names there, and their inputs. */
import { type Tool, toolInputs, tools } from "@countersign/domain/device-tools"
import { Schema } from "effect"

const descriptions: Readonly<Record<Tool, string>> = {
  "shell.run": "Runs a program with its arguments on the user's computer, without a shell.",
  "fs.read": "Reads a file of the user's computer, below the folders that the user opened.",
  "fs.write": "Writes a file of the user's computer, below the folders that the user opened.",
  "fs.list": "Lists a directory of the user's computer, below the folders that the user opened.",
  "fs.search":
    "Searches files of the user's computer for a pattern in RE2 syntax, below the folders that the user opened.",
  "http.get": "Reads an address from the user's computer.",
  "system.info": "Describes the user's computer."
}

/** A name of a local tool has no dot. */
const nameOf = (tool: Tool): string => tool.replace(".", "_")

export const toolNamed = (name: string): Tool | undefined => tools.find((tool) => nameOf(tool) === name)

export interface OfferedLocalTool {
  readonly name: string
  readonly description: string
  readonly input_schema: { readonly [key: string]: Schema.Json }
}

export const offeredLocalTools = (): ReadonlyArray<OfferedLocalTool> =>
  tools.map((tool) => ({
    name: nameOf(tool),
    description: `${descriptions[tool]} The user's rules allow, ask, or deny each call.`,
    input_schema: { ...Schema.toJsonSchemaDocument(toolInputs[tool]).schema as { readonly [key: string]: Schema.Json } }
  }))

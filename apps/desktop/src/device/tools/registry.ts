/** The tools of this agent. */
import { type Tool, tools } from "@countersign/domain/device-tools"
import { fsList, fsRead, fsWrite } from "./files.ts"
import { httpGet } from "./http-get.ts"
import { fsSearch } from "./search.ts"
import { shellRun } from "./shell.ts"
import { systemInfo } from "./system-info.ts"
import type { Prepared, ToolOf } from "./tool.ts"

const registered: Readonly<Record<Tool, ToolOf<never>>> = {
  "shell.run": shellRun,
  "fs.read": fsRead,
  "fs.write": fsWrite,
  "fs.list": fsList,
  "fs.search": fsSearch,
  "http.get": httpGet,
  "system.info": systemInfo
}

export const offered: ReadonlyArray<Tool> = tools

/** The input was validated against the tool's schema. */
export const toolOf = (tool: Tool): (asked: Parameters<ToolOf<unknown>>[0]) => Prepared =>
  registered[tool] as ToolOf<unknown>

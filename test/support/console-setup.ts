/** Builds the console and starts the PostgreSQL server of its hubs, once before the console's tests. */
import { ensureConsole } from "../../apps/hub/scripts/console.mjs"
import serveDatabases from "./global-setup.ts"

export default async (): Promise<() => Promise<void>> => {
  const { problem } = ensureConsole({ announce: () => console.log("Building the console…") })
  if (problem !== undefined) throw new Error(`the console could not be built: ${problem}`)
  return serveDatabases()
}

/** Once before the console's tests: the console built, and the PostgreSQL that their hubs share. */
import { ensureConsole } from "../../apps/hub/scripts/console.mjs"
import serveDatabases from "./global-setup.ts"

export default async (): Promise<() => Promise<void>> => {
  const { problem } = ensureConsole({ announce: () => console.log("Building the console…") })
  if (problem !== undefined) throw new Error(`the console could not be built: ${problem}`)
  return serveDatabases()
}

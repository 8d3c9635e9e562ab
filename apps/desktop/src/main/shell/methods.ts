/** The types of the shell methods that a window may call, beside the hub's endpoints. */
import type { Asked, BridgedShell } from "../../bridge/contract.ts"

/** The methods as main implements them; failures are thrown. `window`: the id of its web contents. */
export type ShellMethods = {
  readonly [M in keyof BridgedShell]: (
    ask: Asked<BridgedShell[M]>,
    window: number
  ) => Promise<Extract<Awaited<ReturnType<BridgedShell[M]>>, { readonly ok: true }>["value"]>
}
